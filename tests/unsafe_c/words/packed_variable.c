/* A packed struct need not begin at an even address. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

struct packed {
    struct node *next;
} __attribute__((packed));

struct {
    char first;
    struct packed second;
} __attribute__((packed)) all = {1, {NULL}};

int main(void) {
    struct node *n = malloc(sizeof *n);
    n->word = (uintptr_t)&all.second;
    assert(!(n->word & 1) || (uintptr_t)&all % 2);
    free(n);
    return 0;
}
