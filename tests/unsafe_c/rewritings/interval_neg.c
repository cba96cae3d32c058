#include <assert.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

struct node *t[4];
int main(void) {
    int n = __VERIFIER_nondet_int();
    struct node x;
    t[2] = &x;
    if (n < 0 && n > -4) {
        int i = -n;
        assert(t[i] == 0);
    }
    return 0;
}
