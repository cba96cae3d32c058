/* A distance that is an input. */
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
    char *p = __VERIFIER_nondet_int() ? (char *)-8 : NULL;
    int n = __VERIFIER_nondet_int();
    if (p == (char *)-8 && n > 0 && n < 8) assert(p + n != (char *)-1);
    return 0;
}
