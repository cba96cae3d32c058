/* An intrusive doubly linked ring: the caller owns header and elements. */
struct link {
    struct link *prev, *next;
};
static inline void link_init(struct link *h) {
    h->prev = h;
    h->next = h;
}
static inline void link_add(struct link *n, struct link *h) {
    n->next = h->next;
    n->prev = h;
    h->next->prev = n;
    h->next = n;
}
static inline void link_add_tail(struct link *n, struct link *h) {
    n->prev = h->prev;
    n->next = h;
    h->prev->next = n;
    h->prev = n;
}
static inline void link_del(struct link *e) {
    e->prev->next = e->next;
    e->next->prev = e->prev;
}
static inline int link_empty(const struct link *h) {
    return h->next == h;
}
