#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct row { int *cells; int *spare; int sum; };
static struct row *row_new(void) {
    struct row *r = malloc(sizeof *r);
    if (!r) return NULL;
    r->spare = NULL;
    r->cells = malloc(4 * sizeof *r->cells);
    if (!r->cells) { free(r); return NULL; }
    r->cells[0] = 1;
    return r;
}
static void row_free(struct row *r) { free(r->cells); free(r->spare); free(r); }
int main(void) {
    struct row **rows = malloc(12 * sizeof *rows);
    size_t n = 0, i;
    if (!rows) return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (n == 12) break;
            struct row *r = row_new();
            if (!r) break;
            rows[n++] = r;
        } else if (n > 0) {
            n--;
            row_free(rows[n]);
        }
    }
    for (i = 0; i < n; i++) {
        if (!rows[i]->spare && __VERIFIER_nondet_int()) rows[i]->spare = malloc(8);
        rows[i]->sum = rows[i]->cells[0];
    }
    for (i = 0; i < n; i++) row_free(rows[i]);
    free(rows);
    return 0;
}
