// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two lists as in the Linux kernel, and objects that move from one to the other.
#include <stdlib.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

struct list_head {
    struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name) {&(name), &(name)}
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define list_entry(p, t, m) container_of(p, t, m)
#define list_for_each_entry_safe(pos, n, head, member)                                             \
    for (pos = list_entry((head)->next, __typeof__(*pos), member),                                 \
        n = list_entry(pos->member.next, __typeof__(*pos), member);                                \
         &pos->member != (head); pos = n, n = list_entry(n->member.next, __typeof__(*n), member))

static void __list_add(struct list_head *n, struct list_head *prev, struct list_head *next) {
    next->prev = n;
    n->next = next;
    n->prev = prev;
    prev->next = n;
}

static void list_add(struct list_head *n, struct list_head *h) {
    __list_add(n, h, h->next);
}

static void list_add_tail(struct list_head *n, struct list_head *h) {
    __list_add(n, h->prev, h);
}

static void list_del(struct list_head *e) {
    e->next->prev = e->prev;
    e->prev->next = e->next;
}

static int list_empty(struct list_head *h) {
    return h->next == h;
}

struct task {
    int prio;
    struct list_head link;
    int id;
};

LIST_HEAD(ready);
LIST_HEAD(waiting);

static void spawn(void) {
    struct task *t = malloc(sizeof *t);
    if (!t)
        return;
    t->prio = __VERIFIER_nondet_int();
    if (t->prio > 3)
        list_add(&t->link, &ready);
    else
        list_add_tail(&t->link, &waiting);
}

static void wake(void) {
    if (!list_empty(&waiting)) {
        struct task *t = list_entry(waiting.next, struct task, link);
        list_del(&t->link);
        list_add_tail(&t->link, &ready);
    }
}

static void finish(struct list_head *h) {
    struct task *t, *n;
    list_for_each_entry_safe(t, n, h, link) {
        list_del(&t->link);
        free(t);
    }
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            spawn();
        else
            wake();
    }
    finish(&ready);
    finish(&waiting);
    return 0;
}
