#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct s {
    int ok;
    struct s *n;
};
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    struct s *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    if (!p || !q)
        exit(1);
    q->ok = 1;
    p->ok = 1;
    struct s *r = p;
    p->ok = a <= b;
    p = q;
    if (!p->ok)
        reach_error();
    int k = r->ok;
    free(q);
    free(r);
    if (!k) {
        if (c < b)
            reach_error();
        if (c > b)
            ;
        else
            assert(c >= b);
        assert(a >= c);
    }
    return 0;
}
