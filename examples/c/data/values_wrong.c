// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=FALSE assert=TRUE
// A node with another value gets into the list on one path.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *list = NULL;
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = ++count == 3 ? 0 : 1;
        fresh->next = list;
        list = fresh;
    }
    for (struct node *p = list; p; p = p->next)
        if (p->value != 1)
            reach_error();  // FAILS: unreach_call
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
