// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A global stack of owned nodes in a block that grows to twice its size; a pop frees the node.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
};

static struct node **stack;
static int top, capacity;

static void push(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        abort();
    fresh->value = value;
    if (top == capacity) {
        int more = capacity == 0 ? 1 : capacity * 2;
        struct node **moved = realloc(stack, more * sizeof *moved);
        if (!moved)
            abort();
        stack = moved;
        capacity = more;
    }
    stack[top++] = fresh;
}

static int pop(void) {
    assert(top > 0);
    struct node *last = stack[--top];
    int value = last->value;
    free(last);
    return value;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && top > 0)
            pop();
        else
            push(__VERIFIER_nondet_int());
    }
    while (top > 0)
        pop();
    free(stack);
    return 0;
}
