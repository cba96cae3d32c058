// TRUE
#include <setjmp.h>
static jmp_buf b;
int main(void){ if(setjmp(b)) return 0; longjmp(b,1); }
