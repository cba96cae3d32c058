// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Employees in a list, each with a pointer to a manager, who is any employee that was there before.
#include <stdio.h>
#include <stdlib.h>

struct employee {
    int number;
    struct employee *parent;
    struct employee *next;
};

static struct employee *all;

static struct employee *find(int number) {
    for (struct employee *e = all; e; e = e->next)
        if (e->number == number)
            return e;
    return NULL;
}

static int rank(const struct employee *e) {
    int rank = 0;
    while (e->parent) {
        e = e->parent;
        rank++;
    }
    return rank;
}

int main(void) {
    int number, manager;
    while (scanf("%d %d", &number, &manager) == 2) {
        if (find(number))
            continue;
        struct employee *e = malloc(sizeof *e);
        if (!e)
            break;
        e->number = number;
        e->parent = find(manager);
        e->next = all;
        all = e;
    }
    for (struct employee *e = all; e; e = e->next)
        printf("%d: %d\n", e->number, rank(e));
    while (all) {
        struct employee *next = all->next;
        free(all);
        all = next;
    }
    return 0;
}
