// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// A list of lists, freed without the inner lists.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    struct cell *right;
};

struct row {
    struct row *below;
    struct cell *cells;
};

int main(void) {
    struct row *table = NULL;
    while (__VERIFIER_nondet_int()) {
        struct row *row = malloc(sizeof *row);
        if (!row)
            break;
        row->below = table;
        row->cells = malloc(sizeof *row->cells);
        if (row->cells)
            row->cells->right = NULL;
        table = row;
    }
    while (table) {
        struct row *row = table;
        table = table->below;
        free(row);  // FAILS: memory_leak
    }
    return 0;
}
