// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A binary heap of owned blocks: a push and a pop exchange elements, and what is popped is freed.
#include <stdlib.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
struct job { int prio; int id; };
struct heap { struct job **a; size_t n, cap; };
static int heap_init(struct heap *h, size_t cap) {
    h->a = malloc(cap * sizeof *h->a);
    if (!h->a) return -1;
    h->n = 0; h->cap = cap;
    return 0;
}
static void swap(struct job **x, struct job **y) { struct job *t = *x; *x = *y; *y = t; }
static int heap_push(struct heap *h, struct job *j) {
    size_t i;
    if (h->n == h->cap) return -1;
    i = h->n++;
    h->a[i] = j;
    while (i > 0 && h->a[(i - 1) / 2]->prio > h->a[i]->prio) {
        swap(&h->a[(i - 1) / 2], &h->a[i]);
        i = (i - 1) / 2;
    }
    return 0;
}
static struct job *heap_pop(struct heap *h) {
    struct job *top;
    size_t i = 0;
    if (h->n == 0) return NULL;
    top = h->a[0];
    h->a[0] = h->a[--h->n];
    for (;;) {
        size_t l = 2 * i + 1, r = l + 1, m = i;
        if (l < h->n && h->a[l]->prio < h->a[m]->prio) m = l;
        if (r < h->n && h->a[r]->prio < h->a[m]->prio) m = r;
        if (m == i) break;
        swap(&h->a[m], &h->a[i]);
        i = m;
    }
    return top;
}
int main(void) {
    struct heap h;
    struct job *j;
    int p;
    if (heap_init(&h, 100)) return 1;
    while ((p = __VERIFIER_nondet_int()) != 0) {
        j = malloc(sizeof *j);
        if (!j) break;
        j->prio = p; j->id = 0;
        if (heap_push(&h, j)) { free(j); break; }
    }
    while ((j = heap_pop(&h)) != NULL) {
        printf("%d\n", j->prio);
        free(j);
    }
    free(h.a);
    return 0;
}
