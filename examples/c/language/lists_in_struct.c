// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two queues inside a struct that is passed on by its address.
#include <stdlib.h>
#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct item {
    struct item *next;
    int v;
};

struct list {
    struct item *head, *tail;
};

struct app {
    int id;
    struct list todo;
    struct list done;
};

static void list_init(struct list *l) {
    if (!l)
        return;
    memset(l, 0, sizeof *l);
}

static int list_empty(const struct list *l) {
    return l == NULL || l->head == NULL;
}

static void list_push(struct list *l, struct item *i) {
    assert(l != NULL);
    i->next = NULL;
    if (list_empty(l))
        l->head = i;
    else
        l->tail->next = i;
    l->tail = i;
}

static struct item *list_pop(struct list *l) {
    struct item *i;
    if (!l || list_empty(l))
        return NULL;
    i = l->head;
    l->head = i->next;
    if (!l->head)
        l->tail = NULL;
    return i;
}

static void app_init(struct app *a) {
    a->id = 0;
    list_init(&a->todo);
    list_init(&a->done);
}

static void app_step(struct app *a) {
    struct item *i = list_pop(&a->todo);
    if (i)
        list_push(&a->done, i);
}

int main(void) {
    struct app a;
    struct item *i;
    app_init(&a);
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            i = malloc(sizeof *i);
            if (!i)
                break;
            i->v = 0;
            list_push(&a.todo, i);
        } else
            app_step(&a);
    }
    while ((i = list_pop(&a.todo)))
        free(i);
    while ((i = list_pop(&a.done)))
        free(i);
    return 0;
}
