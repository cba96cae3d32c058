// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// An intrusive circular list whose elements are found by adding the negated offset of the link, an unsigned number.
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct link {
    struct link *next, *prev;
};

struct item {
    int value;
    struct link link;
};

#define item_of(p) ((struct item *)(-offsetof(struct item, link) + (void *)(p)))

int main(void) {
    struct link head = {&head, &head};
    while (__VERIFIER_nondet_int()) {
        struct item *made = malloc(sizeof *made);
        if (!made)
            break;
        made->value = 1;
        made->link.prev = &head;
        made->link.next = head.next;
        head.next->prev = &made->link;
        head.next = &made->link;
    }
    while (head.next != &head) {
        struct link *first = head.next;
        first->next->prev = first->prev;
        first->prev->next = first->next;
        free(item_of(first));
    }
    return 0;
}
