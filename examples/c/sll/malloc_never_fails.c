// RUN: kleene check --malloc-never-fails
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// The same program as malloc_unchecked.c, on a machine where malloc cannot fail.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
