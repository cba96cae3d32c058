#include <assert.h>

struct node {
    struct node *next;
    int data;
};

struct node *t[4];
int k;
static void move(void) {
    k = 1;
}
int main(void) {
    struct node x;
    int a = k + 1;
    t[a] = &x;
    move();
    int b = k + 1;
    assert(t[b] == &x);
    return 0;
}
