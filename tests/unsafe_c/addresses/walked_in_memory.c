/* The same for a pointer in a block. */
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
    struct pair *n = malloc(sizeof *n);
    if (!n) return 0;
    n->second = (struct pair *)-32;
    n->second = n->second + 1;
    int found = n->second == (struct pair *)-16 && (void *)n != (void *)-32;
    free(n);
    assert(!found);
    return 0;
}
