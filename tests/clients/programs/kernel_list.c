/* Doubly linked rings inside of structs, in the manner of the kernel's list.h, with poison after a removal. */
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define LIST_POISON1 ((void *)0x100)
#define LIST_POISON2 ((void *)0x122)
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define list_entry(pointer, type, member) container_of(pointer, type, member)
#define list_for_each_safe(position, following, head)                                        \
    for (position = (head)->next, following = position->next; position != (head);            \
         position = following, following = position->next)

struct list_head {
    struct list_head *next, *prev;
};

struct task {
    int id;
    struct list_head link;
};

static void list_init(struct list_head *head) {
    head->next = head;
    head->prev = head;
}

static void list_insert(struct list_head *node, struct list_head *before, struct list_head *after) {
    after->prev = node;
    node->next = after;
    node->prev = before;
    before->next = node;
}

static void list_add(struct list_head *node, struct list_head *head) {
    list_insert(node, head, head->next);
}

static void list_add_tail(struct list_head *node, struct list_head *head) {
    list_insert(node, head->prev, head);
}

static void list_del(struct list_head *node) {
    node->next->prev = node->prev;
    node->prev->next = node->next;
    node->next = LIST_POISON1;
    node->prev = LIST_POISON2;
}

static int list_empty(const struct list_head *head) {
    return head->next == head;
}

static struct list_head tasks;

static void start(int at_end) {
    struct task *task = malloc(sizeof *task);
    if (task == NULL)
        return;
    task->id = at_end;
    if (at_end)
        list_add_tail(&task->link, &tasks);
    else
        list_add(&task->link, &tasks);
}

static void finish(void) {
    if (list_empty(&tasks))
        return;
    struct task *task = list_entry(tasks.next, struct task, link);
    list_del(&task->link);
    free(task);
}

static void stop_all(void) {
    struct list_head *position, *following;
    list_for_each_safe(position, following, &tasks) {
        list_del(position);
        free(list_entry(position, struct task, link));
    }
}

int main(void) {
    list_init(&tasks);
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0: start(0); break;
        case 1: start(1); break;
        default: finish(); break;
        }
    }
    stop_all();
    return 0;
}
