// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A deque in global variables, whose length decides what its ends are; a loop with a constant number of rounds fills it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next, *prev;
    int value;
};
static struct node *first, *last;
static int count;

static void append(int value) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        return;
    n->value = value;
    n->next = NULL;
    if (count == 0) {
        n->prev = NULL;
        first = n;
    } else {
        n->prev = last;
        last->next = n;
    }
    last = n;
    count++;
}

static void drop_first(void) {
    struct node *n = first;
    if (count == 1) {
        first = last = NULL;
    } else {
        first = n->next;
        first->prev = NULL;
    }
    free(n);
    count--;
}

int main(void) {
    for (int i = 0; i < 50; i++) {
        if (__VERIFIER_nondet_int())
            append(i);
        else if (count > 0)
            drop_first();
    }
    while (count)
        drop_first();
    return 0;
}
