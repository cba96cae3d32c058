#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    struct node *p = calloc(1, sizeof *p);
    if (!p)
        return 0;
    int f = a <= p->data;
    free(p);
    if (f)
        assert(a <= b);
    return 0;
}
