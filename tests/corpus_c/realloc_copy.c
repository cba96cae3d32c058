#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int *items; int count; };

int main(void) {
    struct pair a = { malloc(2 * sizeof(int)), 2 }, b;
    a.items[0] = 4;
    a.items[1] = 5;
    a.items = realloc(a.items, 4 * sizeof(int));
    a.items[3] = a.items[0] + a.items[1];
    memcpy(&b, &a, sizeof a);
    assert(b.items[3] == 9 && b.count == 2);
    memmove(b.items + 1, b.items, 2 * sizeof(int));
    assert(a.items[1] == 4 && a.items[2] == 5);
    if (__VERIFIER_nondet_int())
        b.items[4] = 0; // FAILS: out_of_bounds
    int *end = b.items + 4;
    while (end-- != b.items)
        *end = 0;
    free(b.items);
    return 0;
}
