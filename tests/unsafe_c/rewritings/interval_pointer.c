#include <assert.h>

struct node {
    struct node *next;
    int data;
};

int main(void) {
    int i = 0;
    int *p = &i;
    struct node *t[2] = {0, 0};
    struct node x;
    t[1] = &x;
    *p = 1;
    assert(t[i] == 0);
    return 0;
}
