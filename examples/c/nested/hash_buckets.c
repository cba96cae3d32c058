// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table with two buckets, each a list.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    struct entry *next;
    int key;
};

struct table {
    struct entry *even;
    struct entry *odd;
};

static struct entry **bucket(struct table *t, int key) {
    return key % 2 ? &t->odd : &t->even;
}

static void clear(struct entry **head) {
    while (*head) {
        struct entry *gone = *head;
        *head = gone->next;
        free(gone);
    }
}

int main(void) {
    struct table t = {NULL, NULL};
    while (__VERIFIER_nondet_int()) {
        struct entry *e = malloc(sizeof *e);
        if (!e)
            break;
        e->key = __VERIFIER_nondet_int();
        struct entry **head = bucket(&t, e->key);
        e->next = *head;
        *head = e;
    }
    clear(&t.even);
    clear(&t.odd);
    return 0;
}
