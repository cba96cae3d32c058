#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node *a = malloc(sizeof *a);
    if (!a)
        exit(1);
    a->next = malloc(sizeof *a);
    if (!a->next)
        exit(1);
    a->next->next = 0;
    struct node *x = a->next;
    memset(a, 0, sizeof *a);
    struct node *y = a->next;
    free(x);
    free(a);
    assert(y != 0);
    return 0;
}
