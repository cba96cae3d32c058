// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=FALSE
// The length of a list, counted with one too many.
#include <assert.h>
#include <stdlib.h>

#define LENGTH 3

struct node {
    struct node *next;
};

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i <= LENGTH; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = list;
        list = fresh;
    }
    int count = 0;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
        count++;
    }
    assert(count <= LENGTH);  // FAILS: assertion
    return 0;
}
