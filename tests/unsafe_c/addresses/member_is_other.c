/* A member of one address is at the other. */
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
    struct pair *p = __VERIFIER_nondet_int() ? (struct pair *)16 : NULL;
    if (p == (struct pair *)16) {
        void *q = &p->second;
        assert(q != (void *)24);
    }
    return 0;
}
