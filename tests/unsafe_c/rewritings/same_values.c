#include <assert.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

struct node *t[4];
int main(void) {
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 1)
        return 0;
    struct node x;
    int a = k + 1;
    t[a] = &x;
    k = 1 - k;
    int b = k + 1;
    assert(t[b] == &x);
    return 0;
}
