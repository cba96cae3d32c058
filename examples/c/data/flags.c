// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Nodes with flags in bit-fields, a name and some numbers: what is marked is removed, the rest freed at the end.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    unsigned marked : 1;
    unsigned kind : 3;
    const char *name;
    int numbers[20];
    struct node *next;
};

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->marked = 0;
        fresh->kind = 2;
        fresh->name = __VERIFIER_nondet_int() ? "even" : "odd";
        for (int i = 0; i < 20; i++)
            fresh->numbers[i] = i;
        fresh->next = list;
        list = fresh;
    }
    for (struct node *p = list; p; p = p->next)
        if (p->numbers[7] > 3)
            p->marked = 1;
    struct node **link = &list;
    while (*link) {
        struct node *p = *link;
        if (p->marked) {
            *link = p->next;
            free(p);
        } else {
            link = &p->next;
        }
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
