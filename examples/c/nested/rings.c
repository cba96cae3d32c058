// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of rings: every row has a circular list of cells, which is emptied before the row is freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    struct cell *next;
};

struct row {
    struct row *below;
    struct cell *ring;
};

int main(void) {
    struct row *rows = NULL;
    while (__VERIFIER_nondet_int()) {
        struct row *row = malloc(sizeof *row);
        if (!row)
            break;
        row->ring = malloc(sizeof *row->ring);
        if (!row->ring) {
            free(row);
            break;
        }
        row->ring->next = row->ring;
        row->below = rows;
        rows = row;
        while (__VERIFIER_nondet_int()) {
            struct cell *cell = malloc(sizeof *cell);
            if (!cell)
                break;
            cell->next = row->ring->next;
            row->ring->next = cell;
        }
    }
    while (rows) {
        struct row *row = rows;
        rows = row->below;
        while (row->ring->next != row->ring) {
            struct cell *cell = row->ring->next;
            row->ring->next = cell->next;
            free(cell);
        }
        free(row->ring);
        free(row);
    }
    return 0;
}
