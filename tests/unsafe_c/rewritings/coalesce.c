#include <assert.h>

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node a, b, c, d;
    struct node *p = &a, *q = &b, *r, *s;
    a.data = 1;
    b.data = 2;
    int x = p->data;
    r = q;
    p = &c;
    c.data = 5;
    s = p;
    int y = r->data + s->data;
    assert(x + y == 1);
    return 0;
}
