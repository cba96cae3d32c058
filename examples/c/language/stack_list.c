// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of variables: no malloc, nothing to free.
#include <assert.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node third = {NULL, 3};
    struct node second = {&third, 2};
    struct node first = {&second, 1};
    int sum = 0;
    for (struct node *p = &first; p; p = p->next)
        sum += p->value;
    assert(sum == 6);
    return 0;
}
