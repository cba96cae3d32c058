// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A queue in a global struct: put at the end, get from the front.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

static struct {
    struct node *front;
    struct node *end;
} queue;

static int put(void) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return 0;
    fresh->next = NULL;
    if (queue.front)
        queue.end->next = fresh;
    else
        queue.front = fresh;
    queue.end = fresh;
    return 1;
}

static void get(void) {
    struct node *gone = queue.front;
    queue.front = gone->next;
    free(gone);
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (!queue.front || __VERIFIER_nondet_int())
            put();
        else
            get();
    }
    while (queue.front)
        get();
    return 0;
}
