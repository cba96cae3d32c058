// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table with chains: any number of buckets, any keys.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct entry {
    struct entry *next;
    unsigned key;
};

struct table {
    struct entry **buckets;
    unsigned count;
};

static struct table *create(unsigned count) {
    struct table *table = malloc(sizeof *table);
    if (!table)
        return NULL;
    table->buckets = calloc(count, sizeof *table->buckets);
    if (!table->buckets) {
        free(table);
        return NULL;
    }
    table->count = count;
    return table;
}

static int insert(struct table *table, unsigned key) {
    unsigned bucket = key % table->count;
    for (struct entry *e = table->buckets[bucket]; e; e = e->next)
        if (e->key == key)
            return 0;
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return -1;
    fresh->key = key;
    fresh->next = table->buckets[bucket];
    table->buckets[bucket] = fresh;
    return 1;
}

static void destroy(struct table *table) {
    for (unsigned i = 0; i < table->count; i++) {
        struct entry *e = table->buckets[i];
        while (e) {
            struct entry *next = e->next;
            free(e);
            e = next;
        }
    }
    free(table->buckets);
    free(table);
}

int main(void) {
    unsigned count = __VERIFIER_nondet_uint();
    if (count == 0 || count > 1000)
        return 0;
    struct table *table = create(count);
    if (!table)
        return 1;
    while (__VERIFIER_nondet_int())
        insert(table, __VERIFIER_nondet_uint());
    destroy(table);
    return 0;
}
