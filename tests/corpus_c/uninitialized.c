#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct node { struct node *next; int data; } *first;
int main(void) {
    struct node *p;
    if (__VERIFIER_nondet_bool()) {
        first = malloc(sizeof(struct node));
        if (__VERIFIER_nondet_bool())
            first->next->data = 1; // FAILS: uninitialized_pointer
        free(first);
        return 0;
    }
    if (__VERIFIER_nondet_bool())
        first->data = 2; // FAILS: null_dereference
    if (__VERIFIER_nondet_bool())
        free((char *)(first = calloc(1, sizeof *first)) + 4); // FAILS: invalid_free
    return p->data; // FAILS: uninitialized_pointer
}
