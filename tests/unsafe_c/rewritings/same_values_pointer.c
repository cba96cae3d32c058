#include <assert.h>

struct node {
    struct node *next;
    int data;
};

struct node *t[4];
int main(void) {
    int k = 0;
    int *p = &k;
    struct node x;
    int a = k + 1;
    t[a] = &x;
    *p = 1;
    int b = k + 1;
    assert(t[b] == &x);
    return 0;
}
