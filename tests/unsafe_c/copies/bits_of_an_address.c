/* A number gets the bits of an address one by one, by conditions: as a pointer it is equal to the address. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int *p = malloc(sizeof *p);
    unsigned long number = 0;
    void *q;
    if (p == NULL)
        return 0;
    for (int bit = 0; bit < 64; bit++)
        if ((unsigned long)p >> bit & 1)
            number |= 1ul << bit;
    q = (void *)number;
    if (q == p)
        reach_error();
    free(p);
    return 0;
}
