/* A call copies the only pointer to a new block: a number is compared by the copy, and changed by the pointer. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int key;
    struct node *next;
};
struct node *made, *copy;
static void share(int n) {
    if (n > 0) {
        share(n - 1);
        share(n - 2);
    }
    copy = made;
}
int main(void) {
    int k = __VERIFIER_nondet_int();
    struct node *found = NULL, *q;
    made = malloc(sizeof *made);
    if (!made) abort();
    made->next = NULL;
    made->key = 1;
    share(3);
    q = copy;
    if (q->key < k) found = q;
    made->key = __VERIFIER_nondet_int();
    if (q->key < k) found->next = NULL;
    free(made);
    return 0;
}
