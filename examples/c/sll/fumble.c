// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// A reversal with two lines swapped: the rest of the list is lost at once. The thesis's 'fumble'.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *reverse(struct node *list) {
    struct node *reversed = NULL;
    while (list != NULL) {
        struct node *before = reversed;
        reversed = list;
        reversed->next = before;  // FAILS: memory_leak
        list = list->next;
    }
    return reversed;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (fresh == NULL)
            break;
        fresh->next = list;
        list = fresh;
    }
    list = reverse(list);
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
