/* A cache: entries are in the chain of a bucket and in a list by age. */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define BUCKETS 2
#define MOST 1

struct entry {
    unsigned key;
    struct entry *chain;
    struct entry *newer, *older;
};

struct cache {
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest;
    int count;
};

static struct entry *lookup(struct cache *c, unsigned key) {
    struct entry *e = c->buckets[key % BUCKETS];
    while (e != NULL && e->key != key)
        e = e->chain;
    return e;
}

static void unlink_age(struct cache *c, struct entry *e) {
    if (e->newer)
        e->newer->older = e->older;
    else
        c->newest = e->older;
    if (e->older)
        e->older->newer = e->newer;
    else
        c->oldest = e->newer;
}

static void link_newest(struct cache *c, struct entry *e) {
    e->newer = NULL;
    e->older = c->newest;
    if (c->newest)
        c->newest->newer = e;
    else
        c->oldest = e;
    c->newest = e;
}

static void evict(struct cache *c) {
    struct entry *e = c->oldest;
    struct entry **place = &c->buckets[e->key % BUCKETS];
    while (*place != e)
        place = &(*place)->chain;
    *place = e->chain;
    unlink_age(c, e);
    free(e);
    c->count--;
}

static void touch(struct cache *c, unsigned key) {
    struct entry *e = lookup(c, key);
    if (e != NULL) {
        unlink_age(c, e);
        link_newest(c, e);
        return;
    }
    if (c->count == MOST)
        evict(c);
    e = malloc(sizeof *e);
    if (e == NULL)
        return;
    e->key = key;
    e->chain = c->buckets[key % BUCKETS];
    c->buckets[key % BUCKETS] = e;
    link_newest(c, e);
    c->count++;
}

int main(void) {
    struct cache c = {{NULL}, NULL, NULL, 0};
    while (__VERIFIER_nondet_int())
        touch(&c, (unsigned)__VERIFIER_nondet_int());
    while (c.oldest != NULL)
        evict(&c);
    return 0;
}
