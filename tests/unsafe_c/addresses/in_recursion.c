/* A recursive function moves the pointer. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    long first;
    struct pair *second;
};

static char *move(char *p, int n) {
    return n > 0 ? move(p + 1, n - 1) : p;
}

static char *last(char *p, int n) {
    char *q = n > 0 ? last(p, n - 1) : p;
    return q + 1;
}

int main(void) {
    char *p = __VERIFIER_nondet_int() ? (char *)-4 : NULL;
    if (p == (char *)-4) {
        char *q = last(move(p, 1), 1);
        assert(q != (char *)-1);
    }
    return 0;
}
