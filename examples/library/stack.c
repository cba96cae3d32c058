/* A stack; the destructor gets the address of the pointer. */
#include <assert.h>
#include <stdlib.h>
struct frame {
    int v;
    struct frame *below;
};
struct stack {
    struct frame *top;
    int depth;
};
struct stack *stack_new(void) {
    struct stack *s = malloc(sizeof *s);
    if (s) {
        s->top = NULL;
        s->depth = 0;
    }
    return s;
}
int stack_push(struct stack *s, int v) {
    struct frame *f = malloc(sizeof *f);
    if (!f)
        return 0;
    f->v = v;
    f->below = s->top;
    s->top = f;
    s->depth++;
    return 1;
}
int stack_pop(struct stack *s) {
    struct frame *f = s->top;
    assert(f);
    int v = f->v;
    s->top = f->below;
    free(f);
    s->depth--;
    return v;
}
int stack_empty(struct stack *s) {
    return !s->top;
}
void stack_delete(struct stack **s) {
    while ((*s)->top) {
        struct frame *f = (*s)->top;
        (*s)->top = f->below;
        free(f);
    }
    free(*s);
    *s = NULL;
}
