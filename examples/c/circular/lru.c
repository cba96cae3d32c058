// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A cache that keeps what was used last in front: a circular list with a sentinel inside another struct.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    int key;
    struct entry *prev, *next;
};

struct cache {
    struct entry head;
    int used, room;
};

static void take_out(struct entry *entry) {
    entry->prev->next = entry->next;
    entry->next->prev = entry->prev;
}

static void put_in_front(struct cache *cache, struct entry *entry) {
    entry->next = cache->head.next;
    entry->prev = &cache->head;
    cache->head.next->prev = entry;
    cache->head.next = entry;
}

static void use(struct cache *cache, int key) {
    struct entry *entry;
    for (entry = cache->head.next; entry != &cache->head; entry = entry->next)
        if (entry->key == key) {
            take_out(entry);
            put_in_front(cache, entry);
            return;
        }
    if (cache->used >= cache->room && cache->head.prev != &cache->head) {
        entry = cache->head.prev;
        take_out(entry);
        cache->used--;
    } else {
        entry = malloc(sizeof *entry);
        if (!entry)
            return;
    }
    entry->key = key;
    put_in_front(cache, entry);
    cache->used++;
}

int main(void) {
    struct cache cache;
    cache.head.next = cache.head.prev = &cache.head;
    cache.used = 0;
    cache.room = 8;
    while (__VERIFIER_nondet_int())
        use(&cache, __VERIFIER_nondet_int());
    while (cache.head.next != &cache.head) {
        struct entry *entry = cache.head.next;
        take_out(entry);
        free(entry);
    }
    return 0;
}
