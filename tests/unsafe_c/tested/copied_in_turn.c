/* Copies of copies: each has the value that its source had when it was copied. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = NULL, *first = NULL, *second = NULL;
    for (int i = 0; i < 3; i++) {
        second = first;
        first = p;
        if (!p && __VERIFIER_nondet_int() > 0) {
            p = malloc(sizeof *p);
            if (!p)
                abort();
        }
    }
    if (first && !second) {
        free(p);
        p = NULL;
    }
    if (first)
        *p = 1;
    free(p);
    return 0;
}
