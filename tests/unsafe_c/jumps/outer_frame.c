#include <assert.h>
#include <setjmp.h>
extern int __VERIFIER_nondet_int(void);
static jmp_buf *first;
static int deep;
static void walk(int n) {
    jmp_buf env;
    if (!first) first = &env;
    if (setjmp(env)) { assert(n != 2); return; }
    deep++;
    if (n > 0) walk(n - 1);
    else if (__VERIFIER_nondet_int()) longjmp(*first, 1);
}
int main(void) {
    walk(2);
    return 0;
}
