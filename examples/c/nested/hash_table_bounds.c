// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The hash is one too large: what should be the last bucket lies behind the block.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

#define SIZE 3

struct entry {
    unsigned key;
    struct entry *next;
};

struct table {
    struct entry *bucket[SIZE];
};

static unsigned hash(unsigned key) { return key % SIZE + 1; }

static struct table *create(void) {
    struct table *table = malloc(sizeof *table);
    if (!table)
        exit(1);
    for (int i = 0; i < SIZE; i++)
        table->bucket[i] = NULL;
    return table;
}

static void insert(struct table *table, unsigned key) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return;
    unsigned at = hash(key);
    entry->key = key;
    entry->next = table->bucket[at];  // FAILS: out_of_bounds
    table->bucket[at] = entry;
}

static void destroy(struct table *table) {
    for (int i = 0; i < SIZE; i++) {
        struct entry *entry = table->bucket[i];
        while (entry) {
            struct entry *next = entry->next;
            free(entry);
            entry = next;
        }
    }
    free(table);
}

int main(void) {
    struct table *table = create();
    while (__VERIFIER_nondet_int())
        insert(table, __VERIFIER_nondet_uint());
    destroy(table);
    return 0;
}
