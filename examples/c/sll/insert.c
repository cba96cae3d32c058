// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts a node where the value asks for it (before the first larger one); the thesis's 'insert'.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *insert(struct node *list, struct node *fresh) {
    struct node *before = NULL, *p = list;
    while (p != NULL && p->value < fresh->value) {
        before = p;
        p = p->next;
    }
    fresh->next = p;
    if (before == NULL)
        return fresh;
    before->next = fresh;
    return list;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        list = insert(list, fresh);
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
