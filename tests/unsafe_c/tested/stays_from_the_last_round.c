/* In a loop the copy of the last round is tested before it is set again. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *found = NULL, *p = NULL;
    while (__VERIFIER_nondet_int() > 1) {
        if (found)
            *p = 2;
        p = __VERIFIER_nondet_int() > 2 ? malloc(sizeof *p) : NULL;
        found = p;
        if (p && __VERIFIER_nondet_int() > 3) {
            free(p);
            p = NULL;
        }
    }
    free(p);
    return 0;
}
