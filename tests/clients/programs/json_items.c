/* Items with children and siblings, and an allocator in a global struct of hooks, in the manner of cJSON. */
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

typedef struct item {
    struct item *next, *prev, *child;
    int type;
    double number;
} item;

typedef struct hooks {
    void *(*allocate)(size_t size);
    void (*deallocate)(void *block);
} hooks;

static hooks global_hooks = { malloc, free };

void init_hooks(hooks *given) {
    if (given == NULL) {
        global_hooks.allocate = malloc;
        global_hooks.deallocate = free;
        return;
    }
    global_hooks.allocate = given->allocate != NULL ? given->allocate : malloc;
    global_hooks.deallocate = given->deallocate != NULL ? given->deallocate : free;
}

static item *new_item(void) {
    item *node = global_hooks.allocate(sizeof(item));
    if (node != NULL)
        memset(node, 0, sizeof(item));
    return node;
}

static int append(item *array, item *node) {
    if (array == NULL || node == NULL)
        return 0;
    item *child = array->child;
    if (child == NULL) {
        array->child = node;
        node->prev = node;
        node->next = NULL;
    } else {
        child->prev->next = node;
        node->prev = child->prev;
        child->prev = node;
    }
    return 1;
}

static item *detach_first(item *array) {
    item *node = array->child;
    if (node == NULL)
        return NULL;
    array->child = node->next;
    if (node->next != NULL)
        node->next->prev = node->prev;
    node->prev = NULL;
    node->next = NULL;
    return node;
}

static void delete_children(item *node) {
    while (node != NULL) {
        item *next = node->next;
        global_hooks.deallocate(node);
        node = next;
    }
}

int main(void) {
    init_hooks(NULL);
    item *array = new_item();
    if (array == NULL)
        return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            item *node = new_item();
            if (node == NULL)
                break;
            append(array, node);
        } else {
            item *node = detach_first(array);
            if (node != NULL)
                global_hooks.deallocate(node);
        }
    }
    delete_children(array->child);
    global_hooks.deallocate(array);
    return 0;
}
