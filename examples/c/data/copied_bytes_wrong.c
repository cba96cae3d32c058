// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=FALSE
// Two numbers of a node copied into one that is twice as wide: the second is its upper half, and not lost.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    struct pair *next;
    int low;
    int high;
};

int main(void) {
    struct pair *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct pair *pair = malloc(sizeof *pair);
        if (!pair)
            break;
        pair->low = 1;
        pair->high = 1;
        pair->next = list;
        list = pair;
    }
    while (list) {
        struct pair *next = list->next;
        long long both;
        memcpy(&both, &list->low, sizeof both);
        assert(both == 1);  // FAILS: assertion
        free(list);
        list = next;
    }
    return 0;
}
