// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Nodes from an allocator that returns NULL for no bytes, by a macro that computes the size.
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    void *data;
    struct node *next;
};

static void *get(size_t size) {
    if (!size)
        return NULL;
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

static struct node *make(void *data) {
    size_t count = 1, each = sizeof(struct node);
    struct node *made = get(count * each);
    memset(made, 0, count * each);
    made->data = data;
    return made;
}

int main(void) {
    struct node *head = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *made = make(NULL);
        made->next = head;
        head = made;
    }
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
