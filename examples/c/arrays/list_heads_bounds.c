// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// An array of list heads, with an index that may be the length.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 0 || n > 10000)
        return 0;
    struct node **heads = malloc(n * sizeof *heads);
    if (!heads)
        return 1;
    for (int i = 0; i < n; i++)
        heads[i] = NULL;
    while (__VERIFIER_nondet_int()) {
        int i = __VERIFIER_nondet_int();
        if (i < 0 || i > n)
            continue;
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = heads[i];  // FAILS: out_of_bounds
        heads[i] = fresh;
    }
    for (int i = 0; i < n; i++) {
        while (heads[i]) {
            struct node *next = heads[i]->next;
            free(heads[i]);
            heads[i] = next;
        }
    }
    free(heads);
    return 0;
}
