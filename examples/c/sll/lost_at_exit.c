// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// Loses a block inside the argument of exit().
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

static struct node *create(int data) {
    struct node *fresh = malloc(sizeof *fresh);
    if (fresh == NULL)
        abort();
    fresh->next = NULL;
    fresh->data = data;
    return fresh;
}

int main(void) {
    exit(create(1)->data);  // FAILS: memory_leak
}
