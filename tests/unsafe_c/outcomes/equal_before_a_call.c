/* Two pointers are equal before a call that moves one of them: a comparison of one says nothing of the other. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int key;
    struct node *next;
};
struct node *first, *second;
static void move(int n) {
    if (n > 0) {
        move(n - 1);
        move(n - 2);
    }
    first = first->next;
}
int main(void) {
    int k = __VERIFIER_nondet_int();
    struct node *found = NULL, *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (!a || !b) abort();
    a->next = b;
    b->next = a;
    a->key = __VERIFIER_nondet_int();
    b->key = __VERIFIER_nondet_int();
    first = a;
    second = first;
    move(0);
    if (second->key < k) found = a;
    if (first->key < k) found->next = NULL;
    free(a);
    free(b);
    return 0;
}
