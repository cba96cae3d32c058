// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Lists as in the Linux kernel: the links are inside the objects, and container_of leads from one to the other.
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct list_head {
    struct list_head *next, *prev;
};

struct task {
    int priority;
    struct list_head node;
};

#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

static void list_add(struct list_head *fresh, struct list_head *head) {
    fresh->next = head->next;
    fresh->prev = head;
    head->next->prev = fresh;
    head->next = fresh;
}

static void list_del(struct list_head *entry) {
    entry->next->prev = entry->prev;
    entry->prev->next = entry->next;
}

int main(void) {
    struct list_head tasks = {&tasks, &tasks};
    while (__VERIFIER_nondet_int()) {
        struct task *t = malloc(sizeof *t);
        if (!t)
            break;
        t->priority = 1;
        list_add(&t->node, &tasks);
    }
    while (tasks.next != &tasks) {
        struct task *t = container_of(tasks.next, struct task, node);
        list_del(&t->node);
        free(t);
    }
    return 0;
}
