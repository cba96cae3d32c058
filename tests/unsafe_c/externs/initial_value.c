#include <assert.h>

extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
#ifdef WORST_CASE
struct node external = {0, 3};
#else
extern struct node external;
#endif
struct node *p = &external;
int main(void) {
    while (__VERIFIER_nondet_int()) ;
    assert(p->data != 3);
    return 0;
}
