// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A vector of owned pointers that begins with a block, whose capacity is doubled.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct vec {
    void **v;
    int n, cap;
};

static int push(struct vec *a, void *p) {
    if (a->n == a->cap) {
        int c = a->cap * 2;
        void **w = realloc(a->v, c * sizeof *w);
        if (!w)
            return 0;
        a->v = w;
        a->cap = c;
    }
    a->v[a->n++] = p;
    return 1;
}

int main(void) {
    struct vec *a = malloc(sizeof *a);
    if (!a)
        return 1;
    a->v = malloc(8 * sizeof *a->v);
    if (!a->v) {
        free(a);
        return 1;
    }
    a->n = 0;
    a->cap = 8;
    while (__VERIFIER_nondet_int()) {
        int *p = malloc(sizeof *p);
        if (p && !push(a, p))
            free(p);
    }
    for (int i = 0; i < a->n; i++)
        free(a->v[i]);
    free(a->v);
    free(a);
    return 0;
}
