#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct e { int *data; struct e *next; };
static int insert(struct e **table, unsigned size, unsigned key, int *data) {
    struct e *e = malloc(sizeof *e);
    if (!e) return -1;
    unsigned h = key % size;
    e->data = data; e->next = *table; *table = e;
    return h;
}
int main(void) {
    struct e *list = NULL;
    while (__VERIFIER_nondet_int()) {
        int *v = malloc(sizeof *v);
        if (v && insert(&list, 31, __VERIFIER_nondet_int(), v) < 0) free(v);
    }
    while (list) { struct e *e = list; list = e->next; free(e->data); free(e); }
    return 0;
}
