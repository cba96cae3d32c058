/* A pointer whose bytes are written. */
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
    void *p = NULL;
    memset(&p, 0xff, sizeof p);
    assert(p != (void *)-1);
    return 0;
}
