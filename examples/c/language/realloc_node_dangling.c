// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The first node of a list grows, but the list still begins where the node was before.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct large {
    struct node node;
    int more[4];
};

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = list;
        list = fresh;
    }
    if (list) {
        struct large *large = realloc(list, sizeof *large);
        if (large) {
            large->more[3] = 1;
        }
    }  // FAILS: memory_leak
    while (list) {
        struct node *next = list->next;  // FAILS: dangling_dereference
        free(list);
        list = next;
    }
    return 0;
}
