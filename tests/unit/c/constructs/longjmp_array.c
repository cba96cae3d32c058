// UNKNOWN: longjmp out of the scope of an array of variable length
#include <setjmp.h>
static jmp_buf env;
static void work(int n) { int a[n]; a[0] = 1; longjmp(env, a[0]); }
int main(void) { if (setjmp(env) == 0) work(3); return 0; }
