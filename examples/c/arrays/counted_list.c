// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked list with its length: the length decides whether the list is empty, and how often to remove.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *prev;
    struct node *next;
};

struct list {
    struct node *head;
    struct node *tail;
    unsigned long len;
};

static int append(struct list *list) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    if (list->len == 0) {
        list->head = list->tail = node;
        node->prev = node->next = NULL;
    } else {
        node->prev = list->tail;
        node->next = NULL;
        list->tail->next = node;
        list->tail = node;
    }
    list->len++;
    return 1;
}

static void empty(struct list *list) {
    struct node *current = list->head;
    unsigned long len = list->len;
    while (len--) {
        struct node *next = current->next;
        free(current);
        current = next;
    }
    list->head = list->tail = NULL;
    list->len = 0;
}

int main(void) {
    struct list *list = malloc(sizeof *list);
    if (!list)
        return 1;
    list->head = list->tail = NULL;
    list->len = 0;
    while (__VERIFIER_nondet_int())
        append(list);
    empty(list);
    free(list);
    return 0;
}
