// A member that is the sum of two others: where one of them is changed twice, the sum is changed once.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct sum {
    struct sum *next;
    unsigned a, b, c;
};
int main(void) {
    struct sum *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct sum *n = malloc(sizeof *n);
        if (!n)
            exit(0);
        n->a = (unsigned)__VERIFIER_nondet_int();
        n->b = (unsigned)__VERIFIER_nondet_int();
        n->c = n->a + n->b;
        n->next = list;
        list = n;
    }
    for (struct sum *p = list; p; p = p->next)
        if (__VERIFIER_nondet_int() > 0) {
            p->a++;
            if (p->b == 3)
                p->a++;
            p->c++;
        }
    for (struct sum *p = list; p; p = p->next)
        assert(p->c == p->a + p->b);
    return 0;
}
