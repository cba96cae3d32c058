/* A number is written where the pointer is read. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    long first;
    struct pair *second;
};

union both {
    void *pointer;
    long number;
};

int main(void) {
    union both b;
    b.number = -__VERIFIER_nondet_int();
    assert(b.pointer != (void *)-5);
    return 0;
}
