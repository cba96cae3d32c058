#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 3)
        return 0;
    char *p = malloc(n);
    if (!p)
        return 0;
    char *q = malloc(4);
    if (!q)
        exit(1);
    q[3] = 1;
    q[0] = 2;
    memcpy(p, q, n);
    int v = p[0];
    free(p);
    free(q);
    assert(v != 2);
    return 0;
}
