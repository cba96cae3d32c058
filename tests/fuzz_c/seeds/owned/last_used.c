#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { int v; int w[2]; };
int main(void) {
    struct job **a = calloc(12, sizeof *a), *cur = NULL;
    int n = 0, s = 0, at;
    if (!a) return 1;
    while (__VERIFIER_nondet_int()) {
        at = __VERIFIER_nondet_int();
        if (n < 12) {
            struct job *x = malloc(sizeof *x);
            if (!x) break;
            x->v = n;
            x->w[0] = x->w[1] = 0;
            a[n] = x;
            n++;
        }
        if (at >= 0 && at < n) {
            cur = a[at];
            cur->w[0]++;
        }
        if (cur) s += cur->v & 1;
        if (n > 0 && __VERIFIER_nondet_int()) {
            struct job *t = a[n - 1];
            if (t == cur) cur = NULL;
            n--;
            a[n] = NULL;
            free(t);
        }
    }
    while (n > 0) free(a[--n]);
    free(a);
    return s & 1;
}
