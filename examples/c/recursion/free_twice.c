// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees the last node when it was found, which is still in the list.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *build(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        fresh->next = list;
        list = fresh;
    }
    return list;
}

static void destroy(struct node *list) {
    if (!list)
        return;
    destroy(list->next);  // FAILS: dangling_dereference
    free(list);
}

static struct node *find(struct node *list, int value) {
    return !list || list->value == value ? list : find(list->next, value);
}

int main(void) {
    struct node *list = build();
    struct node *found = find(list, 3);
    if (found && !found->next)
        free(found);
    destroy(list);
    return 0;
}
