#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

int main(void) {
    struct node *p = malloc(sizeof *p);
    if (!p)
        return 0;
    p->data = __VERIFIER_nondet_int();
    int d = p->data;
    int f = d > 3;
    free(p);
    if (f)
        assert(d * 2 < 100);
    return 0;
}
