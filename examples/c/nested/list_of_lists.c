// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of lists: rows of cells, freed row by row.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    struct cell *right;
    int value;
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
        row->cells = NULL;
        row->below = table;
        table = row;
        while (__VERIFIER_nondet_int()) {
            struct cell *cell = malloc(sizeof *cell);
            if (!cell)
                break;
            cell->right = row->cells;
            row->cells = cell;
        }
    }
    while (table) {
        struct row *row = table;
        table = table->below;
        while (row->cells) {
            struct cell *cell = row->cells;
            row->cells = cell->right;
            free(cell);
        }
        free(row);
    }
    return 0;
}
