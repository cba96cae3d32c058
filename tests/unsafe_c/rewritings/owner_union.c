// Two members of a union that begin at different bytes have bytes in common: they were two variables.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct vector {
    union {
        long whole;
        struct {
            int : 32;
            int high;
        } part;
    } mark;
    int **at;
    int n, room;
};

int main(void) {
    struct vector *v = malloc(sizeof *v);
    if (!v)
        abort();
    v->n = 0;
    v->room = __VERIFIER_nondet_int();
    if (v->room < 1 || v->room > 50) {
        free(v);
        return 0;
    }
    v->at = malloc(v->room * sizeof *v->at);
    if (!v->at)
        abort();
    v->mark.whole = 0;
    v->mark.part.high = 5;
    while (v->n < v->room && __VERIFIER_nondet_int())
        v->at[v->n++] = malloc(sizeof(int));
    assert(v->mark.whole == 0);
    while (v->n > 0)
        free(v->at[--v->n]);
    free(v->at);
    free(v);
    return 0;
}
