// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A stack of owned blocks in an array of a fixed size, with an index of its top.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void *stack[64];
static int top;

static int push(void *block) {
    if (top == 64)
        return 0;
    stack[top++] = block;
    return 1;
}

static void *pop(void) {
    if (top == 0)
        return NULL;
    return stack[--top];
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            void *block = malloc(8);
            if (block && !push(block))
                free(block);
        } else {
            free(pop());
        }
    }
    while (top > 0)
        free(pop());
    return 0;
}
