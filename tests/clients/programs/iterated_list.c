/* A list with iterators and a destructor of values, in the manner of Redis. */
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

typedef struct node {
    struct node *prev, *next;
    void *value;
} node;

typedef struct {
    node *head, *tail;
    void (*release)(void *);
    unsigned long length;
} list;

typedef struct {
    node *next;
    int forward;
} iterator;

static list *list_create(void) {
    list *l = malloc(sizeof *l);
    if (l == NULL)
        return NULL;
    l->head = l->tail = NULL;
    l->release = NULL;
    l->length = 0;
    return l;
}

static list *list_add_tail(list *l, void *value) {
    node *n = malloc(sizeof *n);
    if (n == NULL)
        return NULL;
    n->value = value;
    n->next = NULL;
    n->prev = l->tail;
    if (l->length == 0)
        l->head = n;
    else
        l->tail->next = n;
    l->tail = n;
    l->length++;
    return l;
}

static void list_del(list *l, node *n) {
    if (n->prev)
        n->prev->next = n->next;
    else
        l->head = n->next;
    if (n->next)
        n->next->prev = n->prev;
    else
        l->tail = n->prev;
    if (l->release)
        l->release(n->value);
    free(n);
    l->length--;
}

static void list_release(list *l) {
    node *current = l->head;
    while (current) {
        node *next = current->next;
        if (l->release)
            l->release(current->value);
        free(current);
        current = next;
    }
    free(l);
}

static void rewind_tail(list *l, iterator *i) {
    i->next = l->tail;
    i->forward = 0;
}

static node *list_next(iterator *i) {
    node *current = i->next;
    if (current != NULL)
        i->next = i->forward ? current->next : current->prev;
    return current;
}

int main(void) {
    list *l = list_create();
    if (l == NULL)
        return 1;
    l->release = free;
    while (__VERIFIER_nondet_int()) {
        int *value = malloc(sizeof *value);
        if (value == NULL)
            break;
        *value = __VERIFIER_nondet_int();
        if (list_add_tail(l, value) == NULL) {
            free(value);
            break;
        }
    }
    iterator i;
    rewind_tail(l, &i);
    node *n;
    while ((n = list_next(&i)) != NULL)
        if (*(int *)n->value < 0)
            list_del(l, n);
    list_add_tail(l, NULL);
    list_release(l);
    return 0;
}
