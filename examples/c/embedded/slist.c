// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A singly linked list embedded in its objects, ended by NULL.
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct link {
    struct link *next;
};

struct item {
    int value;
    struct link link;
};

#define item_of(p) ((struct item *)((char *)(p)-offsetof(struct item, link)))

int main(void) {
    struct link *head = NULL;
    while (__VERIFIER_nondet_int()) {
        struct item *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = 5;
        fresh->link.next = head;
        head = &fresh->link;
    }
    while (head) {
        struct item *gone = item_of(head);
        head = head->next;
        free(gone);
    }
    return 0;
}
