#include <assert.h>
#include <string.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    struct node x;
    memset(&x, 0, sizeof x);
    int f = a <= x.data;
    if (f)
        assert(a <= b);
    return 0;
}
