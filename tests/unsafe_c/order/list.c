#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};
extern int __VERIFIER_nondet_int(void);

int limit = 5;
int main(void) {
    struct node *h = 0;
    while (__VERIFIER_nondet_int()) {
        int x = __VERIFIER_nondet_int();
        int big = x > limit;
        if (big) {
            struct node *q = malloc(sizeof *q);
            if (!q)
                exit(1);
            q->data = x;
            q->next = h;
            h = q;
        }
    }
    struct node *p = h;
    while (p && p->next) {
        assert(p->data <= p->next->data);
        p = p->next;
    }
    while (h) {
        struct node *t = h->next;
        free(h);
        h = t;
    }
    return 0;
}
