#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static jmp_buf env;
static int *get(int *p) {
    if (__VERIFIER_nondet_int()) longjmp(env, 1);
    return p;
}
int main(void) {
    int x = 0, y = 1;
    int *volatile p = &x;
    if (setjmp(env) == 0) p = get(&y);
    assert(p == &y);
    return 0;
}
