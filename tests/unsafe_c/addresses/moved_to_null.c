/* The address -1 that is moved by one is NULL. */
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
    char *p = __VERIFIER_nondet_int() ? (char *)-1 : NULL;
    if (p == (char *)-1) {
        char *q = p + 1;
        assert(q != NULL);
    }
    return 0;
}
