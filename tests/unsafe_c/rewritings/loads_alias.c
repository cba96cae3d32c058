#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (!a || !b)
        exit(1);
    a->next = b;
    b->next = 0;
    struct node **pp = &a->next;
    struct node *x = a->next;
    *pp = 0;
    struct node *y = a->next;
    free(a);
    free(b);
    assert(x == y);
    return 0;
}
