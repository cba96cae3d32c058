#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
int main(void) {
    struct node *p = malloc(sizeof *p), *q = p;
    p->next = NULL;
    if (__VERIFIER_nondet_int() > 10)
        free(p);
    else if (__VERIFIER_nondet_int() == 3) {
        free(p);
        free(q); // FAILS: double_free
    } else
        return 0; // FAILS: memory_leak lost
    q->next = p; // FAILS: dangling_dereference
    return 0;
}
