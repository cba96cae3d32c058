// Two members of each node go through the same operation on bits and stay equal.
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct record {
    unsigned stored, mirrored;
    struct record *next;
};
int main(void) {
    struct record *list = NULL;
    while (__VERIFIER_nondet_uint()) {
        struct record *n = malloc(sizeof *n);
        if (!n) exit(1);
        n->stored = __VERIFIER_nondet_uint();
        n->mirrored = n->stored;
        n->next = list;
        list = n;
    }
    for (struct record *p = list; p; p = p->next) {
        p->stored ^= 5;
        p->mirrored ^= 5;
    }
    for (struct record *p = list; p; p = p->next) assert(p->stored == p->mirrored);
    while (list) {
        struct record *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
