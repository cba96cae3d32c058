
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct item { int id; };
int main(void) {
    struct item **a = malloc(12 * sizeof *a);
    size_t n = 0, i;
    if (!a) return 1;
    while (__VERIFIER_nondet_int()) {
        size_t at = (size_t)__VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) {
            struct item *x;
            if (n == 12) break;
            x = malloc(sizeof *x);
            if (!x) break;
            a[n++] = x;
        } else if (at < n) {
            free(a[at]);
            a[at] = a[n - 1]; n--;
        }
    }
    for (i = 0; i < n; i++) free(a[i]);
    free(a);
    return 0;
}
