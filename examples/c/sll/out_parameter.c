// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A stack whose operations get the address of the list's head.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *below;
    int value;
};

static int push(struct node **stack, int value) {
    struct node *top = malloc(sizeof(struct node));
    if (!top)
        return 0;
    top->value = value;
    top->below = *stack;
    *stack = top;
    return 1;
}

static int pop(struct node **stack) {
    struct node *top = *stack;
    int value = top->value;
    *stack = top->below;
    free(top);
    return value;
}

int main(void) {
    struct node *stack = NULL;
    while (__VERIFIER_nondet_int())
        if (!push(&stack, 1))
            break;
    while (stack)
        assert(pop(&stack) == 1);
    return 0;
}
