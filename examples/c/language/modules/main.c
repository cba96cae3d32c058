// RUN: kleene check stack.c
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A program of several files: main.c uses the stack of stack.c.
#include <stddef.h>

#include "stack.h"

extern int __VERIFIER_nondet_int(void);

int main(void) {
    struct stack *top = NULL;
    while (__VERIFIER_nondet_int()) {
        if (top && __VERIFIER_nondet_int())
            top = stack_pop(top);
        else
            top = stack_push(top, 1);
    }
    while (top)
        top = stack_pop(top);
    return 0;
}
