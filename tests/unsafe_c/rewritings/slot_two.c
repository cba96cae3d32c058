#include <assert.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

struct node *t[10];
int main(void) {
    struct node a;
    t[3] = &a;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 9)
        return 0;
    if (i != 3)
        assert(t[i] != 0);
    return 0;
}
