// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// A list node that is a local variable of a function that has returned.
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *list;

static void add(int value) {
    struct node local;
    local.value = value;
    local.next = list;
    list = &local;
}

int main(void) {
    add(1);
    return list->value;  // FAILS: dangling_dereference
}
