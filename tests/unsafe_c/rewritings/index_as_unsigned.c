// An index of -1 is the greatest one as an unsigned number: it was taken to be the same as another index.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int(), i = -1;
    if (n < 2 || n > 100 || j < 0 || j >= n)
        return 0;
    int **a = calloc(n, sizeof *a);
    if (!a)
        abort();
    a[i + 1] = malloc(sizeof(int));
    if ((unsigned)i >= (unsigned)j)
        assert(a[j]);
    free(a[0]);
    free(a);
    return 0;
}
