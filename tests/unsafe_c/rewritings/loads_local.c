#include <assert.h>

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node l;
    struct node *a = &l;
    l.next = 0;
    struct node *x = a->next;
    l.next = a;
    struct node *y = a->next;
    assert(x == y);
    return 0;
}
