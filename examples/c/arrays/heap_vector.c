// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A growing vector of owned pointers whose header is a struct on the heap.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
    int x;
};

struct vec {
    struct item **v;
    int n, cap;
};

static void push(struct vec *a, struct item *p) {
    if (a->n == a->cap) {
        int c = a->cap ? a->cap * 2 : 4;
        struct item **w = realloc(a->v, c * sizeof *w);
        if (!w)
            abort();
        a->v = w;
        a->cap = c;
    }
    a->v[a->n++] = p;
}

int main(void) {
    struct vec *a = calloc(1, sizeof *a);
    if (!a)
        return 1;
    while (__VERIFIER_nondet_int()) {
        struct item *p = malloc(sizeof *p);
        if (!p)
            abort();
        p->x = 1;
        push(a, p);
    }
    for (int i = 0; i < a->n; i++)
        free(a->v[i]);
    free(a->v);
    free(a);
    return 0;
}
