/* A variable begins with the address. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    long first;
    struct pair *second;
};

static struct pair *none = (struct pair *)-1;

int main(void) {
    if (__VERIFIER_nondet_int()) none = NULL;
    assert(none != (struct pair *)-1);
    return 0;
}
