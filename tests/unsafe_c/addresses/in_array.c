/* An array with marks for removed entries. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    long first;
    struct pair *second;
};

static struct pair *table[4];

int main(void) {
    int i = __VERIFIER_nondet_int() & 3, j = __VERIFIER_nondet_int() & 3;
    table[i] = (struct pair *)-1;
    assert(table[j] != (struct pair *)-1);
    return 0;
}
