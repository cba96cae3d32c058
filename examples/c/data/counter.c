// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of a fixed length, and its length counted again.
#include <assert.h>
#include <stdlib.h>

#define LENGTH 5

struct node {
    struct node *next;
};

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < LENGTH; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            abort();
        fresh->next = list;
        list = fresh;
    }
    int count = 0;
    for (struct node *p = list; p; p = p->next)
        count++;
    assert(count == LENGTH);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
