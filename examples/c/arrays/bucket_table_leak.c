// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// A hash table whose buckets are an array in the struct; the first bucket is not freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    int key;
    struct entry *next;
};

struct table {
    int count;
    struct entry *buckets[64];
};

static unsigned hash(int key) {
    return (unsigned)key % 64;
}

static void put(struct table *table, int key) {
    unsigned bucket = hash(key);
    for (struct entry *e = table->buckets[bucket]; e; e = e->next)
        if (e->key == key)
            return;
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return;
    fresh->key = key;
    fresh->next = table->buckets[bucket];
    table->buckets[bucket] = fresh;
    table->count++;
}

static void drop(struct table *table, int key) {
    struct entry **link = &table->buckets[hash(key)];
    while (*link) {
        struct entry *e = *link;
        if (e->key == key) {
            *link = e->next;
            free(e);
            table->count--;
            return;
        }
        link = &e->next;
    }
}

static void destroy(struct table *table) {
    for (int i = 1; i < 64; i++) {
        struct entry *e = table->buckets[i];
        while (e) {
            struct entry *next = e->next;
            free(e);
            e = next;
        }
    }
    free(table);  // FAILS: memory_leak
}

int main(void) {
    struct table *table = calloc(1, sizeof *table);
    if (!table)
        return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            put(table, __VERIFIER_nondet_int());
        else
            drop(table, __VERIFIER_nondet_int());
    }
    destroy(table);
    return 0;
}
