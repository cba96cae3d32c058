/* A pointer is copied, then becomes NULL: the copy still tells that there was an object. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p);
    int *had = p;
    if (had && __VERIFIER_nondet_int() == 3) {
        free(p);
        p = NULL;
    }
    if (had)
        *p = 1;
    free(p);
    return 0;
}
