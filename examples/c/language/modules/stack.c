// The stack of main.c.
#include "stack.h"

#include <stdlib.h>

struct stack {
    struct stack *below;
    int value;
};

struct stack *stack_push(struct stack *top, int value) {
    struct stack *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return top;
    fresh->value = value;
    fresh->below = top;
    return fresh;
}

struct stack *stack_pop(struct stack *top) {
    struct stack *below = top->below;
    free(top);
    return below;
}
