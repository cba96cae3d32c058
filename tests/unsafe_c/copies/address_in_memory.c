/* The address of a block is kept as a number in another block, and freed as a pointer again. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct box { long number; };
int main(void) {
    struct box *box = malloc(sizeof *box);
    int *p = malloc(sizeof *p);
    long number, other = __VERIFIER_nondet_int();
    if (box == NULL || p == NULL)
        return 0;
    box->number = (long)p;
    number = box->number;
    if (other > 3)
        number = other;
    if ((void *)number == p)
        reach_error();
    free(p);
    free(box);
    return 0;
}
