#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
enum color { RED = 1, GREEN, BLUE = 7 };
struct shape { int (*area)(const struct shape *); union { int side; struct { short w, h; }; }; };
static int square(const struct shape *s) { return s->side * s->side; }
static int rectangle(const struct shape *s) { return s->w * s->h; }

int main(void) {
    struct shape shapes[] = { { square, { .side = 3 } }, { .area = rectangle, .w = 2, .h = 5 } };
    int which = __VERIFIER_nondet_int();
    enum color c = which > 0 ? GREEN : BLUE;
    int area = shapes[which == c].area(&shapes[which == c]);
    assert(area == 9 || (c == GREEN && area == 10));
    static int calls;
    do {
        if (calls++ == 2)
            break;
        continue;
    } while (calls < 5);
    assert(calls == 3);
again:
    if (--calls)
        goto again;
    shapes[0].area = NULL;
    if (which == BLUE)
        return shapes[0].area(shapes); // FAILS: null_dereference
    return 0;
}
