// TRUE
#include <stdlib.h>
enum { PUSH, POP, HALT };
struct cell { struct cell *next; };
static void run(const unsigned char *code) {
    static const void *const table[] = {[PUSH] = &&push, [POP] = &&pop, [HALT] = &&halt};
    struct cell *stack = NULL, *c;
#define NEXT goto *table[*code++]
    NEXT;
push:
    c = malloc(sizeof *c);
    if (!c) goto halt;
    c->next = stack;
    stack = c;
    NEXT;
pop:
    c = stack;
    if (!c) goto halt;
    stack = c->next;
    free(c);
    NEXT;
halt:
    while (stack) { c = stack->next; free(stack); stack = c; }
}
int main(void) {
    const unsigned char a[] = {PUSH, PUSH, POP, HALT}, b[] = {POP, HALT};
    run(a);
    run(b);
    return 0;
}
