#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int b = __VERIFIER_nondet_int();
    struct node *p = malloc(sizeof *p);
    if (!p)
        return 0;
    int x = p->data;
    free(p);
    assert(x >= b);
    return 0;
}
