// The program of the paper's Fig. 1, as it is printed: the last node's `succ` is read though it was never written, so that
// nothing is promised about the assertion. `--property memsafety` shows a run; with `calloc` the assertion is proved.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct node {
    int data;
    struct node *succ, *pred;
} *List;

static List alloc_list(void) {
    List r = malloc(sizeof *r);
    List p = r;
    if (r == 0)
        exit(1);
    while (__VERIFIER_nondet_int()) {
        List t = malloc(sizeof *t);
        if (t == 0)
            exit(1);
        p->succ = t;
        t->pred = p;
        p = p->succ;
    }
    return r;
}

static void assert_dll(List p) {
    while (p != 0 && p->succ != 0) {
        assert(p->succ->pred == p);
        p = p->succ;
    }
}

int main(void) {
    List l1 = alloc_list();
    List l2 = alloc_list();
    List p = l1;
    while (p->succ != 0)
        p = p->succ;
    p->succ = l2;
    l2->pred = p;
    assert_dll(l1);
    return 0;
}
