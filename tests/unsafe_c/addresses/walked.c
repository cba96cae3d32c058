/* A pointer that walks arrives at the other address. */
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
    char *p = (char *)-9;
    int n = 0;
    while (p != (char *)-3 && n < 20) {
        p++;
        n++;
    }
    assert(n == 20);
    return 0;
}
