// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Keys are numbers that are stored as pointers, and hashed as numbers again: no address becomes a pointer that way.
#include <stdint.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct entry { struct entry *next; void *key; unsigned hash; };
static struct entry *list;
static unsigned hash(const void *key) { return (unsigned)(uintptr_t)key * 2654435761u; }
static struct entry *find(const void *key) {
    struct entry *e = list;
    while (e && !(e->hash == hash(key) && e->key == key)) e = e->next;
    return e;
}
static void put(void *key) {
    struct entry *e;
    if (find(key)) return;
    e = malloc(sizeof *e);
    if (!e) return;
    e->key = key;
    e->hash = hash(key);
    e->next = list;
    list = e;
}
int main(void) {
    while (__VERIFIER_nondet_int()) {
        void *key = (void *)(intptr_t)__VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) put(key);
        else find(key);
    }
    while (list) {
        struct entry *e = list;
        list = e->next;
        free(e);
    }
    return 0;
}
