// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Looks for a value in a list; the thesis's 'search'.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

typedef struct node {
    struct node *next;
    int value;
} Node;

static Node *search(Node *list, int wanted) {
    for (Node *p = list; p != NULL; p = p->next)
        if (p->value == wanted)
            return p;
    return NULL;
}

int main(void) {
    Node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        Node *fresh = malloc(sizeof(Node));
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        fresh->next = list;
        list = fresh;
    }
    Node *found = search(list, 42);
    if (found)
        found->value = 0;
    while (list) {
        Node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
