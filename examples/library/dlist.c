/* A doubly linked list with a header and a count. */
#include <stdlib.h>
struct dnode {
    struct dnode *prev, *next;
    int data;
};
typedef struct {
    struct dnode *first, *last;
    unsigned count;
} dlist;
dlist *dlist_create(void) {
    dlist *d = calloc(1, sizeof *d);
    return d;
}
struct dnode *dlist_add_first(dlist *d, int v) {
    struct dnode *n = malloc(sizeof *n);
    if (!n)
        return NULL;
    n->data = v;
    n->prev = NULL;
    n->next = d->first;
    if (d->first)
        d->first->prev = n;
    else
        d->last = n;
    d->first = n;
    d->count++;
    return n;
}
struct dnode *dlist_add_last(dlist *d, int v) {
    struct dnode *n = malloc(sizeof *n);
    if (!n)
        return NULL;
    n->data = v;
    n->next = NULL;
    n->prev = d->last;
    if (d->last)
        d->last->next = n;
    else
        d->first = n;
    d->last = n;
    d->count++;
    return n;
}
struct dnode *dlist_insert_after(dlist *d, struct dnode *pos, int v) {
    struct dnode *n = malloc(sizeof *n);
    if (!n)
        return NULL;
    n->data = v;
    n->prev = pos;
    n->next = pos->next;
    if (pos->next)
        pos->next->prev = n;
    else
        d->last = n;
    pos->next = n;
    d->count++;
    return n;
}
void dlist_remove(dlist *d, struct dnode *n) {
    if (n->prev)
        n->prev->next = n->next;
    else
        d->first = n->next;
    if (n->next)
        n->next->prev = n->prev;
    else
        d->last = n->prev;
    free(n);
    d->count--;
}
unsigned dlist_count(const dlist *d) {
    return d->count;
}
void dlist_clear(dlist *d) {
    struct dnode *n = d->first;
    while (n) {
        struct dnode *t = n->next;
        free(n);
        n = t;
    }
    d->first = d->last = NULL;
    d->count = 0;
}
void dlist_destroy(dlist *d) {
    if (!d)
        return;
    dlist_clear(d);
    free(d);
}
