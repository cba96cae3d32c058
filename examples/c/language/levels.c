// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Ten levels of functions, each calls the next one twice: each is analysed once, on the list that it gets.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

static struct node *change(struct node *list) {
    struct node *turned = NULL;
    if (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            return list;
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *next = list->next;
        list->next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

#define LEVEL(name, below) \
    static struct node *name(struct node *list) { \
        list = below(list); \
        return below(list); \
    }

LEVEL(one, change)
LEVEL(two, one)
LEVEL(three, two)
LEVEL(four, three)
LEVEL(five, four)
LEVEL(six, five)
LEVEL(seven, six)
LEVEL(eight, seven)
LEVEL(nine, eight)
LEVEL(ten, nine)

int main(void) {
    struct node *list = ten(NULL);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
