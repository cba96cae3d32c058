struct stack;

struct stack *stack_push(struct stack *top, int value);
struct stack *stack_pop(struct stack *top);
