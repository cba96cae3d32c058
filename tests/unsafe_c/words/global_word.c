/* A variable that begins with a flag has it. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

struct node first;
uintptr_t start = (uintptr_t)&first + 1;

int main(void) {
    assert(((struct node *)(start & ~(uintptr_t)1)) == &first);
    assert(!(start & 1));
    return 0;
}
