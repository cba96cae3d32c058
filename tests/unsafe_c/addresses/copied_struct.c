/* A struct with the address is copied. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    long first;
    struct pair *second;
};

int main(void) {
    struct pair a = {1, __VERIFIER_nondet_int() ? (struct pair *)-1 : NULL};
    struct pair b = a;
    struct pair *c = malloc(sizeof *c);
    if (!c) return 0;
    memcpy(c, &b, sizeof b);
    struct pair *p = c->second;
    free(c);
    assert(p != (struct pair *)-1);
    return 0;
}
