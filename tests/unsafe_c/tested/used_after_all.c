/* A copy that is tested on one path and used on another one. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p), *copy;
    if (!p)
        abort();
    copy = p;
    free(p);
    if (copy && __VERIFIER_nondet_int() == 5)
        *copy = 1;
    return 0;
}
