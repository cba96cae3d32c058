#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct entry { int *data; struct entry *before; };
int main(void) {
    unsigned n = 0, count = __VERIFIER_nondet_int() & 1023;
    struct entry *table = calloc(count + 1, sizeof *table), *last = 0;
    if (!table) return 1;
    while (__VERIFIER_nondet_int() && n < count) {
        struct entry *e = &table[n++];
        memset(e, 0, sizeof *e);
        e->before = last;
        last = e;
        if (__VERIFIER_nondet_int()) e->data = malloc(sizeof *e->data);
    }
    for (unsigned i = 0; i < n; i++) { free(table[i].data); }
    free(table);
    return 0;
}
