// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A queue in global variables, emptied as often as its length says.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};
static struct node *head, *tail;
static int len;

static void push(int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = NULL;
    if (len == 0)
        head = tail = n;
    else {
        tail->next = n;
        tail = n;
    }
    len++;
}

static void pop(void) {
    struct node *n = head;
    head = n->next;
    free(n);
    len--;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            push(1);
        else if (len > 0)
            pop();
    }
    while (len--) {
        struct node *n = head;
        head = n->next;
        free(n);
    }
    return 0;
}
