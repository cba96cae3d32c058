// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of rings, whose cells and rows both have a member `next`: each ring is walked, and freed while a pointer walks round it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    struct cell *next;
    int value;
};

struct row {
    struct row *next;
    struct cell *ring;
};

int main(void) {
    struct row *rows = NULL;
    while (__VERIFIER_nondet_int()) {
        struct row *row = malloc(sizeof *row);
        struct cell *first = malloc(sizeof *first);
        if (!row || !first)
            abort();
        first->next = first;
        first->value = 0;
        while (__VERIFIER_nondet_int()) {
            struct cell *cell = malloc(sizeof *cell);
            if (!cell)
                abort();
            cell->value = 1;
            cell->next = first->next;
            first->next = cell;
        }
        row->ring = first;
        row->next = rows;
        rows = row;
    }
    for (struct row *row = rows; row; row = row->next) {
        struct cell *cell = row->ring;
        do {
            cell->value++;
            cell = cell->next;
        } while (cell != row->ring);
    }
    while (rows) {
        struct row *next = rows->next;
        struct cell *cell = rows->ring->next;
        while (cell != rows->ring) {
            struct cell *after = cell->next;
            free(cell);
            cell = after;
        }
        free(cell);
        free(rows);
        rows = next;
    }
    return 0;
}
