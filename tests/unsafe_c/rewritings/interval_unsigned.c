#include <assert.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

struct node *t[4];
int main(void) {
    unsigned u = (unsigned)__VERIFIER_nondet_int();
    struct node x;
    t[3] = &x;
    if (u - 1 < 3) {
        assert(t[u] == 0);
    }
    return 0;
}
