/* A circular list without a header: NULL is the empty one. */
#include <stdlib.h>
struct ring {
    struct ring *next;
    int value;
};
struct ring *ring_insert(struct ring *r, int v) {
    struct ring *n = malloc(sizeof *n);
    if (!n)
        return r;
    n->value = v;
    if (!r) {
        n->next = n;
        return n;
    }
    n->next = r->next;
    r->next = n;
    return r;
}
struct ring *ring_remove_next(struct ring *r) {
    if (!r)
        return NULL;
    struct ring *n = r->next;
    if (n == r) {
        free(r);
        return NULL;
    }
    r->next = n->next;
    free(n);
    return r;
}
struct ring *ring_rotate(struct ring *r) {
    return r ? r->next : NULL;
}
int ring_size(struct ring *r) {
    int n = 0;
    if (!r)
        return 0;
    struct ring *p = r;
    do {
        n++;
        p = p->next;
    } while (p != r);
    return n;
}
void ring_free(struct ring *r) {
    if (!r)
        return;
    struct ring *p = r->next;
    while (p != r) {
        struct ring *t = p->next;
        free(p);
        p = t;
    }
    free(r);
}
