/* A number is compared through the address of a member of a new block, and changed through the block. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int key;
    struct node *next;
};
struct outer {
    struct node inner;
    int more;
};
int main(void) {
    int k = __VERIFIER_nondet_int();
    struct outer *p = malloc(sizeof *p);
    struct node *found = NULL, *q;
    if (!p) abort();
    p->inner.next = NULL;
    p->inner.key = 1;
    q = &p->inner;
    if (q->key < k) found = q;
    p->inner.key = __VERIFIER_nondet_int();
    if (q->key < k) found->next = NULL;
    free(p);
    return 0;
}
