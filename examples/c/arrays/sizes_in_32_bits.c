// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A table with chains and a function that chooses the bucket, from an allocator that takes sizes as 32 bits.
#include <stdlib.h>
#include <stdint.h>
int __VERIFIER_nondet_int(void);
struct element { void *data; struct element *next; };
struct table { struct element **slots; int elements; int size; int (*choose)(void *, int); };
static void *get(uint32_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static int choose(void *data, int size) { return (unsigned) *(int *) data % size; }
static struct table *table_new(int size, int (*choose)(void *, int))
{
    struct table *t = get(sizeof *t);
    t->size = size;
    t->slots = get(sizeof(struct element *) * size);
    t->elements = 0;
    for (int i = 0; i < t->size; i++) t->slots[i] = NULL;
    t->choose = choose;
    return t;
}
static void add(struct table *t, void *data)
{
    struct element *e = get(sizeof *e);
    int index = t->choose(data, t->size);
    e->data = data;
    e->next = t->slots[index];
    t->slots[index] = e;
}
int main(void)
{
    struct table *t = table_new(64, choose);
    while (__VERIFIER_nondet_int()) {
        int *v = malloc(sizeof *v);
        if (!v) break;
        *v = __VERIFIER_nondet_int();
        add(t, v);
    }
    for (int i = 0; i < t->size; i++) {
        struct element *e = t->slots[i];
        while (e) { struct element *n = e->next; free(e->data); free(e); e = n; }
    }
    free(t->slots);
    free(t);
    return 0;
}
