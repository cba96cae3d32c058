// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees the link inside an object instead of the object.
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
        struct link *gone = head;
        head = head->next;
        free(gone);  // FAILS: invalid_free
    }
    return 0;
}
