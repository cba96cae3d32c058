// FALSE: uninitialized_pointer
#include <setjmp.h>
int main(void) { jmp_buf env; longjmp(env, 1); }
