#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static jmp_buf env;
static struct node *list;
static void push(void) {
    struct node *n = malloc(sizeof *n);
    n->next = list;
    if (__VERIFIER_nondet_int() == 3) longjmp(env, 1);
    list = n;
}
int main(void) {
    if (setjmp(env)) assert(list == NULL);
    else while (__VERIFIER_nondet_int() > 0) push();
    return 0;
}
