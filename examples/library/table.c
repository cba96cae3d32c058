/* A hash table with chains; the number of buckets is given at creation. */
#include <stdlib.h>

struct entry {
    int key;
    int value;
    struct entry *next;
};

struct table {
    struct entry **buckets;
    size_t nbuckets;
    size_t size;
};

struct table *table_new(size_t nbuckets) {
    struct table *t;
    if (nbuckets == 0)
        return NULL;
    t = malloc(sizeof *t);
    if (t == NULL)
        return NULL;
    t->buckets = calloc(nbuckets, sizeof *t->buckets);
    if (t->buckets == NULL) {
        free(t);
        return NULL;
    }
    t->nbuckets = nbuckets;
    t->size = 0;
    return t;
}

static size_t bucket_of(const struct table *t, int key) {
    return (unsigned int)key % t->nbuckets;
}

static struct entry *lookup(const struct table *t, int key) {
    struct entry *e = t->buckets[bucket_of(t, key)];
    while (e != NULL && e->key != key)
        e = e->next;
    return e;
}

int table_put(struct table *t, int key, int value) {
    size_t i = bucket_of(t, key);
    struct entry *e = lookup(t, key);
    if (e == NULL) {
        e = malloc(sizeof *e);
        if (e == NULL)
            return -1;
        e->key = key;
        e->next = t->buckets[i];
        t->buckets[i] = e;
        t->size++;
    }
    e->value = value;
    return 0;
}

int table_get(const struct table *t, int key, int *value) {
    const struct entry *e = lookup(t, key);
    if (e == NULL)
        return -1;
    *value = e->value;
    return 0;
}

int table_remove(struct table *t, int key) {
    size_t i = bucket_of(t, key);
    struct entry *e, *previous = NULL;
    for (e = t->buckets[i]; e != NULL; previous = e, e = e->next) {
        if (e->key != key)
            continue;
        if (previous != NULL)
            previous->next = e->next;
        else
            t->buckets[i] = e->next;
        free(e);
        t->size--;
        return 0;
    }
    return -1;
}

void table_free(struct table *t) {
    size_t i;
    if (t == NULL)
        return;
    for (i = 0; i < t->nbuckets; i++) {
        struct entry *e = t->buckets[i];
        while (e != NULL) {
            struct entry *next = e->next;
            free(e);
            e = next;
        }
    }
    free(t->buckets);
    free(t);
}
