// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Eight lists that hang from one block of the heap: each is analysed by itself.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

struct header {
    struct node *urgent, *soon, *late, *someday;
    struct node *asked, *answered, *idle, *done;
};

static struct node *push(struct node *list) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->next = list;
    return n;
}

static void drop(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct header *h = calloc(1, sizeof *h);
    if (!h)
        return 0;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            h->urgent = push(h->urgent);
            break;
        case 1:
            h->soon = push(h->soon);
            break;
        case 2:
            h->late = push(h->late);
            break;
        case 3:
            h->someday = push(h->someday);
            break;
        case 4:
            h->asked = push(h->asked);
            break;
        case 5:
            h->answered = push(h->answered);
            break;
        case 6:
            h->idle = push(h->idle);
            break;
        default:
            h->done = push(h->done);
            break;
        }
    }
    drop(h->urgent);
    drop(h->soon);
    drop(h->late);
    drop(h->someday);
    drop(h->asked);
    drop(h->answered);
    drop(h->idle);
    drop(h->done);
    free(h);
    return 0;
}
