// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Eight lists that have nothing to do with each other: the heap is taken apart, each list is analysed alone.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

static struct node *push(struct node *list) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return list;
    fresh->next = list;
    return fresh;
}

static void destroy(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *red = NULL, *green = NULL, *blue = NULL, *cyan = NULL;
    struct node *black = NULL, *white = NULL, *pink = NULL, *grey = NULL;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0: red = push(red); break;
        case 1: green = push(green); break;
        case 2: blue = push(blue); break;
        case 3: cyan = push(cyan); break;
        case 4: black = push(black); break;
        case 5: white = push(white); break;
        case 6: pink = push(pink); break;
        default: grey = push(grey);
        }
    }
    destroy(red);
    destroy(green);
    destroy(blue);
    destroy(cyan);
    destroy(black);
    destroy(white);
    destroy(pink);
    destroy(grey);
    return 0;
}
