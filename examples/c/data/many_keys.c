// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list with many keys that are added and removed: the keys do not matter to the proof, so they are left out first.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
    int key;
    struct item *next;
};

static struct item *add(struct item *list, int key) {
    struct item *n = malloc(sizeof *n);
    if (!n)
        return list;
    n->key = key;
    n->next = list;
    return n;
}

static struct item *take_out(struct item *list, int key) {
    struct item *before = NULL, *at = list;
    while (at && at->key != key) {
        before = at;
        at = at->next;
    }
    if (!at)
        return list;
    if (before)
        before->next = at->next;
    else
        list = at->next;
    free(at);
    return list;
}

int main(void) {
    struct item *list = NULL;
    while (__VERIFIER_nondet_int()) {
        list = add(list, 10);
        list = add(list, 20);
        list = take_out(list, 10);
        list = add(list, 30);
        list = take_out(list, 30);
        list = add(list, 40);
        list = add(list, 50);
        list = take_out(list, 20);
        list = take_out(list, 40);
        list = add(list, 60);
        list = take_out(list, 60);
        list = add(list, 70);
        list = add(list, 80);
        list = take_out(list, 50);
        list = take_out(list, 70);
        list = add(list, 90);
        list = take_out(list, 90);
    }
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
