/* A pointer that is moved twice. */
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
    struct pair *p = __VERIFIER_nondet_int() ? (struct pair *)32 : NULL;
    struct pair **q = &p->second;
    char *back = (char *)q - 4;
    back = back - 4;
    if (p == (struct pair *)32) assert(back != (char *)32);
    return 0;
}
