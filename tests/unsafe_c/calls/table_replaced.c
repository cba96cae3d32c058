// A function that calls itself replaces the array of a struct: the slot that its caller knew is in a block of before.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int mark;
};
struct table {
    struct node **nodes;
    int count;
};
static int renew(struct table *table, int depth) {
    if (depth > 0)
        return renew(table, depth - 1) + 1;
    free(table->nodes);
    table->nodes = calloc(table->count, sizeof *table->nodes);
    if (!table->nodes)
        exit(0);
    return 0;
}
int main(void) {
    struct table *table = malloc(sizeof *table);
    struct node *node = malloc(sizeof *node);
    if (!table || !node)
        exit(0);
    table->count = 8;
    table->nodes = calloc(table->count, sizeof *table->nodes);
    int i = __VERIFIER_nondet_int();
    if (!table->nodes || i < 0 || i >= 8)
        exit(0);
    table->nodes[i] = node;
    renew(table, 2);
    assert(table->nodes[i] == node);
    return 0;
}
