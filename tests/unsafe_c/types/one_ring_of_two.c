// A list of rings with members of one name, where a row may get the ring of the row before it: a cell is marked twice.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct cell {
    struct cell *next;
    int marked;
};
struct row {
    struct row *next;
    struct cell *ring;
};
int main(void) {
    struct row *rows = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct row *row = malloc(sizeof *row);
        if (!row)
            exit(0);
        if (rows && __VERIFIER_nondet_int() == 3)
            row->ring = rows->ring->next;
        else {
            row->ring = malloc(sizeof *row->ring);
            if (!row->ring)
                exit(0);
            row->ring->next = row->ring;
            row->ring->marked = 0;
        }
        row->next = rows;
        rows = row;
    }
    for (struct row *row = rows; row; row = row->next) {
        struct cell *cell = row->ring;
        do {
            assert(!cell->marked);
            cell->marked = 1;
            cell = cell->next;
        } while (cell != row->ring);
    }
    return 0;
}
