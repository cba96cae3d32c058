// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table as an array of lists.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

#define BUCKETS 3

struct entry {
    struct entry *next;
    unsigned key;
};

static struct entry *table[BUCKETS];

int main(void) {
    while (__VERIFIER_nondet_int()) {
        struct entry *e = malloc(sizeof *e);
        if (!e)
            break;
        e->key = __VERIFIER_nondet_uint();
        unsigned at = e->key % BUCKETS;
        e->next = table[at];
        table[at] = e;
    }
    for (int i = 0; i < BUCKETS; i++) {
        while (table[i]) {
            struct entry *next = table[i]->next;
            free(table[i]);
            table[i] = next;
        }
    }
    return 0;
}
