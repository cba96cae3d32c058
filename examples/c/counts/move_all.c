// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Moves all nodes from one stack to another, as long as there are some by its count.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct stack {
    struct node *top;
    int n;
};

static void push(struct stack *s, struct node *x) {
    x->next = s->top;
    s->top = x;
    s->n++;
}

static struct node *pop(struct stack *s) {
    struct node *x = s->top;
    s->top = x->next;
    s->n--;
    return x;
}

int main(void) {
    struct stack *a = calloc(1, sizeof *a);
    if (!a)
        return 1;
    struct stack *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    while (__VERIFIER_nondet_int()) {
        struct node *x = malloc(sizeof *x);
        if (!x)
        abort();
        x->value = 1;
        push(a, x);
    }
    while (a->n > 0)
        push(b, pop(a));
    while (b->n > 0)
        free(pop(b));
    free(a);
    free(b);
    return 0;
}
