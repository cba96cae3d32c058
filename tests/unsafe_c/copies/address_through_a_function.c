/* The address of a block goes through a function as a number: as a pointer again it is the same. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static long same(long number, int depth) { return depth > 0 ? same(number, depth - 1) : number; }
int main(void) {
    int *p = malloc(sizeof *p), *q;
    if (p == NULL)
        return 0;
    q = (int *)same((long)p, __VERIFIER_nondet_int());
    if (q == p)
        reach_error();
    free(p);
    return 0;
}
