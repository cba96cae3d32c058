// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The marked node is freed while the one before it still leads to it: the mark is kept with the pointer to the next.
#include <stdint.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int key;
};

static int is_marked(struct node *next) {
    return (uintptr_t)next & 1;
}

static struct node *marked(struct node *next) {
    return (struct node *)((uintptr_t)next | 1);
}

static struct node *unmarked(struct node *next) {
    return (struct node *)((uintptr_t)next & ~(uintptr_t)1);
}

static struct node *head;

static void delete_key(int key) {
    for (struct node *n = head; n; n = unmarked(n->next))
        if (n->key == key && !is_marked(n->next)) {
            n->next = marked(n->next);
            return;
        }
}

static void unlink_marked(void) {
    struct node **place = &head;
    while (*place) {
        struct node *n = *place;
        if (is_marked(n->next)) {  // FAILS: dangling_dereference
            n->next = unmarked(n->next);
            free(n);  // FAILS: memory_leak
        } else {
            place = &n->next;
        }
    }
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct node *n = malloc(sizeof *n);
            if (!n)
                break;
            n->key = __VERIFIER_nondet_int();
            n->next = head;
            head = n;
        } else {
            delete_key(__VERIFIER_nondet_int());
        }
    }
    unlink_marked();
    while (head) {
        struct node *n = head->next;
        free(head);
        head = n;
    }
    return 0;
}
