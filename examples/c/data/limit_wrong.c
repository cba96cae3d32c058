// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=FALSE
// Numbers above a limit are taken to be in order: whether each is above it is kept in a flag, and says nothing of that.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

int limit = 5;

static int above(int number) {
    return number > limit;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        int number = __VERIFIER_nondet_int();
        int large = above(number);
        if (!large)
            continue;
        struct node *node = malloc(sizeof *node);
        if (!node)
            break;
        node->data = number;
        node->next = list;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        if (next)
            assert(list->data <= next->data);  // FAILS: assertion
        free(list);
        list = next;
    }
    return 0;
}
