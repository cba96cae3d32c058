// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A second list whose nodes point to some of the nodes of the first.
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
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

struct reference {
    struct reference *next;
    struct node *item;
};

int main(void) {
    struct node *list = build();
    struct reference *chosen = NULL;
    for (struct node *node = list; node; node = node->next) {
        if (__VERIFIER_nondet_int()) {
            struct reference *fresh = malloc(sizeof *fresh);
            if (!fresh)
                break;
            fresh->item = node;
            fresh->next = chosen;
            chosen = fresh;
        }
    }
    while (chosen) {
        struct reference *next = chosen->next;
        chosen->item->value = 0;
        free(chosen);
        chosen = next;
    }
    destroy(list);
    return 0;
}
