// TRUE
#include <assert.h>
#include <stddef.h>
struct node { struct node *next, *prev; };
union list {
    struct { struct node head_node; void *head_padding; };
    struct { void *tail_padding; struct node tail_node; };
    struct { struct node *head, *null, *tail; };
};
struct two { struct { char a; long b; } x; struct { long a; char b; } y; struct { char c; } z; struct { int c; } w; };
int main(void) {
    union list l;
    l.head = &l.tail_node;
    l.null = 0;
    l.tail = &l.head_node;
    assert(l.head_node.next == &l.tail_node && l.tail_node.prev == &l.head_node && !l.head_node.prev);
    struct two t = {{1, 2}, {3, 4}, {5}, {6}};
    assert(t.x.a == 1 && t.x.b == 2 && t.y.a == 3 && t.y.b == 4 && t.z.c == 5 && t.w.c == 6);
    t.y.a = 1L << 40;
    assert(t.y.a == 1L << 40 && offsetof(struct two, y.b) - offsetof(struct two, y) == 8);
    struct { char c; } p = {7};
    struct { long c; } q = {1L << 40};
    assert(p.c == 7 && q.c == 1L << 40 && sizeof p == 1);
    return 0;
}
