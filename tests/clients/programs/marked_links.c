/* A list whose links carry a mark, and a tree with parent and color in one word. */
#include <stdint.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    uintptr_t next;
};

#define NEXT(n) ((struct node *)((n)->next & ~(uintptr_t)1))
#define MARKED(n) ((n)->next & 1)

static struct node *head;

static void add(int key) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return;
    n->key = key;
    n->next = (uintptr_t)head;
    head = n;
}

static void mark(int key) {
    for (struct node *n = head; n; n = NEXT(n))
        if (n->key == key)
            n->next |= 1;
}

static void sweep(void) {
    struct node *last = NULL, *n = head;
    while (n) {
        struct node *next = NEXT(n);
        if (MARKED(n)) {
            if (last)
                last->next = (uintptr_t)next | (last->next & 1);
            else
                head = next;
            free(n);
        } else {
            last = n;
        }
        n = next;
    }
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        switch (__VERIFIER_nondet_int()) {
        case 0:
            add(key);
            break;
        case 1:
            mark(key);
            break;
        default:
            sweep();
        }
    }
    while (head) {
        struct node *next = NEXT(head);
        free(head);
        head = next;
    }
    return 0;
}
