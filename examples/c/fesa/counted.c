// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two counters beside two lists: a walk counts as many nodes as were made, and none are left when the lists are freed.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    struct node *next;
};
int main(void) {
    struct node *left = NULL, *right = NULL, *n;
    int made = 0, on_the_left = 0, walked = 0;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        if (!n) abort();
        if (__VERIFIER_nondet_int()) {
            n->next = left;
            left = n;
            on_the_left++;
        } else {
            n->next = right;
            right = n;
        }
        made++;
    }
    for (n = left; n; n = n->next) walked++;
    assert(walked == on_the_left);
    while (right) {
        n = right->next;
        free(right);
        right = n;
        made--;
    }
    assert(made == walked);
    while (left) {
        n = left->next;
        free(left);
        left = n;
        made--;
    }
    assert(made == 0);
    return 0;
}
