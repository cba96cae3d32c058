#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct vector { int *a; int n, cap; };
static int push(struct vector *v, int x) {
    if (v->n == v->cap) {
        int cap = v->cap + (v->cap >> 1) + 1;
        int *a = realloc(v->a, cap * sizeof *a);
        if (!a) return -1;
        v->a = a;
        v->cap = cap;
    }
    v->a[v->n] = x;
    v->n++;
    return 0;
}
int main(void) {
    struct vector v = {NULL, 0, 0};
    long sum = 0;
    while (__VERIFIER_nondet_int())
        if (push(&v, __VERIFIER_nondet_int())) break;
    for (int i = 0; i < v.n; i++) sum += v.a[i];
    free(v.a);
    return sum > 100;
}
