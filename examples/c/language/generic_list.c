// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of anything: the data is a void pointer, and the list knows the function that frees it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    void *data;
    struct cell *next;
};

struct list {
    struct cell *head;
    void (*destroy)(void *);
};

static void init(struct list *list, void (*destroy)(void *)) {
    list->head = NULL;
    list->destroy = destroy;
}

static int add(struct list *list, void *data) {
    struct cell *cell = malloc(sizeof *cell);
    if (!cell)
        return -1;
    cell->data = data;
    cell->next = list->head;
    list->head = cell;
    return 0;
}

static void clear(struct list *list) {
    while (list->head) {
        struct cell *cell = list->head;
        list->head = cell->next;
        if (list->destroy)
            list->destroy(cell->data);
        free(cell);
    }
}

int main(void) {
    struct list list;
    init(&list, free);
    while (__VERIFIER_nondet_int()) {
        int *number = malloc(sizeof *number);
        if (!number)
            break;
        *number = 3;
        if (add(&list, number)) {
            free(number);
            break;
        }
    }
    clear(&list);
    return 0;
}
