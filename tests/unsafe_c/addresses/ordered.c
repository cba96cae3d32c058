/* The order of the address among pointers. */
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
    char *p = __VERIFIER_nondet_int() ? (char *)-1 : (char *)8;
    if (p != (char *)8) assert(p < (char *)16);
    return 0;
}
