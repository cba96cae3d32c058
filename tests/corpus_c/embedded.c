#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define container_of(ptr, type, member) ({                     \
        const typeof(((type *)0)->member) *__mptr = (ptr);     \
        (type *)((char *)__mptr - offsetof(type, member)); })
struct list_head { struct list_head *next, *prev; };
struct item { int key; struct list_head link; };
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)

static void list_add(struct list_head *new, struct list_head *head) {
    head->next->prev = new;
    new->next = head->next;
    new->prev = head;
    head->next = new;
}

static void list_del(struct list_head *entry) {
    entry->next->prev = entry->prev;
    entry->prev->next = entry->next;
}

int main(void) {
    struct list_head head = { &head, &head }, *pos;
    int count = 0, seen = 0;
    while (count < 3 && __VERIFIER_nondet_int()) {
        struct item *item = malloc(sizeof(*item));
        item->key = count++;
        list_add(&item->link, &head);
    }
    list_for_each(pos, &head) {
        assert(container_of(pos, struct item, link)->key == --count);
        seen++;
    }
    while (head.next != &head) {
        struct item *item = container_of(head.next, struct item, link);
        list_del(&item->link);
        free(item);
    }
    assert(count == 0 && seen < 3); // FAILS: assertion
    return 0;
}
