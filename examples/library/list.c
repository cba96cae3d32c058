/* A singly linked list with a header that has its first and its last node. */
#include <stdlib.h>
struct node {
    struct node *next;
    int value;
};
struct list {
    struct node *head;
    struct node *tail;
};

struct list *list_new(void) {
    struct list *l = malloc(sizeof *l);
    if (l == NULL)
        return NULL;
    l->head = l->tail = NULL;
    return l;
}
int list_push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return -1;
    n->value = v;
    n->next = l->head;
    if (l->head == NULL)
        l->tail = n;
    l->head = n;
    return 0;
}
int list_append(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return -1;
    n->value = v;
    n->next = NULL;
    if (l->tail == NULL)
        l->head = n;
    else
        l->tail->next = n;
    l->tail = n;
    return 0;
}
int list_pop(struct list *l, int *out) {
    struct node *n = l->head;
    if (n == NULL)
        return -1;
    if (out)
        *out = n->value;
    l->head = n->next;
    if (l->head == NULL)
        l->tail = NULL;
    free(n);
    return 0;
}
struct node *list_find(struct list *l, int v) {
    struct node *n;
    for (n = l->head; n; n = n->next)
        if (n->value == v)
            return n;
    return NULL;
}
void list_remove(struct list *l, struct node *x) {
    struct node **p = &l->head, *last = NULL;
    while (*p && *p != x) {
        last = *p;
        p = &(*p)->next;
    }
    if (*p == NULL)
        return;
    *p = x->next;
    if (l->tail == x)
        l->tail = last;
    free(x);
}
void list_free(struct list *l) {
    struct node *n = l->head;
    while (n) {
        struct node *t = n->next;
        free(n);
        n = t;
    }
    free(l);
}
