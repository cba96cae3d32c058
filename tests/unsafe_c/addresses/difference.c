/* The distance of two addresses. */
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
    char *q = __VERIFIER_nondet_int() ? (char *)-8 : NULL;
    if (p == (char *)-1 && q == (char *)-8) assert(p - q != 7);
    return 0;
}
