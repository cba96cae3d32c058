// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Finds the last node of a list; the assertions say that it is one.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *getlast(struct node *list) {
    struct node *last = NULL;
    for (struct node *p = list; p; p = p->next)
        last = p;
    return last;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (fresh == NULL)
            break;
        fresh->next = list;
        list = fresh;
    }
    struct node *last = getlast(list);
    assert((last == NULL) == (list == NULL));
    if (last)
        assert(last->next == NULL);
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
