
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *stack[64];
static int **sp = stack;
int main(void) {
    while (__VERIFIER_nondet_int()) {
        int *x = malloc(sizeof *x);
        if (!x) break;
        if (sp < stack + 64) *sp++ = x; else free(x);
        if (__VERIFIER_nondet_int() && sp > stack) free(*--sp);
    }
    while (sp > stack) free(*--sp);
    return 0;
}
