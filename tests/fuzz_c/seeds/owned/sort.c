#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item { int key; };
int main(void) {
    struct item **a = malloc(20 * sizeof *a);
    size_t n = 0, i, j;
    if (!a) return 1;
    while (n < 20 && __VERIFIER_nondet_int()) {
        struct item *x = malloc(sizeof *x);
        if (!x) break;
        x->key = __VERIFIER_nondet_int();
        a[n++] = x;
    }
    for (i = 1; i < n; i++) {
        struct item *x = a[i];
        for (j = i; j > 0 && a[j - 1]->key > x->key; j--) a[j] = a[j - 1];
        a[j] = x;
    }
    while (n > 0) {
        n--;
        free(a[n]);
        a[n] = NULL;
    }
    free(a);
    return 0;
}
