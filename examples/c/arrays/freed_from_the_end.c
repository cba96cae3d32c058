// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table in a struct of the heap, whose lists are freed from the last bucket to the first.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
#define LENGTH(array) (sizeof(array) / sizeof *(array))

struct item {
    struct item *next;
    unsigned key;
};
struct table {
    struct item *heads[128];
};

static int add(struct table *t, unsigned key) {
    struct item *x = malloc(sizeof *x);
    if (!x)
        return 0;
    x->key = key;
    x->next = t->heads[key % LENGTH(t->heads)];
    t->heads[key % LENGTH(t->heads)] = x;
    return 1;
}

static void release(struct table *t) {
    for (int i = (int)LENGTH(t->heads) - 1; i >= 0; --i)
        while (t->heads[i]) {
            struct item *x = t->heads[i];
            t->heads[i] = x->next;
            free(x);
        }
    free(t);
}

int main(void) {
    struct table *t = malloc(sizeof *t);
    if (!t)
        return 1;
    for (unsigned i = 0; i < LENGTH(t->heads); ++i)
        t->heads[i] = NULL;
    while (__VERIFIER_nondet_uint())
        if (!add(t, __VERIFIER_nondet_uint()))
            break;
    release(t);
    return 0;
}
