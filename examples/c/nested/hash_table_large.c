// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table of 64 lists: entries are found, inserted and removed, and all freed at the end.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

#define BUCKETS 64

struct entry {
    struct entry *next;
    unsigned key;
};

static struct entry *table[BUCKETS];

static unsigned hash(unsigned key) { return key % BUCKETS; }

static struct entry *find(unsigned key) {
    struct entry *entry = table[hash(key)];
    while (entry && entry->key != key)
        entry = entry->next;
    return entry;
}

static void insert(unsigned key) {
    unsigned at = hash(key);
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return;
    entry->key = key;
    entry->next = table[at];
    table[at] = entry;
}

static void erase(unsigned key) {
    struct entry **link = &table[hash(key)];
    while (*link && (*link)->key != key)
        link = &(*link)->next;
    if (*link) {
        struct entry *gone = *link;
        *link = gone->next;
        free(gone);
    }
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        unsigned key = __VERIFIER_nondet_uint();
        if (find(key))
            erase(key);
        else
            insert(key);
    }
    for (int i = 0; i < BUCKETS; i++) {
        struct entry *entry = table[i];
        while (entry) {
            struct entry *next = entry->next;
            free(entry);
            entry = next;
        }
        table[i] = NULL;
    }
    return 0;
}
