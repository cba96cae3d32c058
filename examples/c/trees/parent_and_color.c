// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A search tree whose nodes keep a color in the low bits of the pointer to their parent: insertion, a walk in order, removal of all.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct link {
    unsigned long parent_color;
    struct link *right, *left;
};

struct item {
    int key;
    struct link link;
};

enum { RED, BLACK };

#define item_of(pointer) ((struct item *)((char *)(pointer) - offsetof(struct item, link)))

static struct link *parent_of(const struct link *node) {
    return (struct link *)(node->parent_color & ~3UL);
}

static int color_of(const struct link *node) {
    return node->parent_color & 1;
}

static void set_color(struct link *node, int color) {
    node->parent_color = (node->parent_color & ~1UL) | color;
}

static void insert(struct link **root, struct item *fresh) {
    struct link **place = root, *parent = NULL;
    while (*place) {
        parent = *place;
        place = fresh->key < item_of(parent)->key ? &parent->left : &parent->right;
    }
    fresh->link.parent_color = (unsigned long)parent;
    fresh->link.left = fresh->link.right = NULL;
    *place = &fresh->link;
    set_color(&fresh->link, parent && color_of(parent) == RED ? BLACK : RED);
    assert(parent_of(&fresh->link) == parent);
}

static struct link *following(struct link *node) {
    if (node->right) {
        node = node->right;
        while (node->left)
            node = node->left;
        return node;
    }
    struct link *parent;
    while ((parent = parent_of(node)) && node == parent->right)
        node = parent;
    return parent;
}

static void free_all(struct link *node) {
    if (!node)
        return;
    free_all(node->left);
    free_all(node->right);
    free(item_of(node));
}

int main(void) {
    struct link *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct item *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->key = __VERIFIER_nondet_int();
        insert(&root, fresh);
    }
    struct link *node = root;
    while (node && node->left)
        node = node->left;
    for (; node; node = following(node))
        item_of(node)->key /= 2;
    free_all(root);
    return 0;
}
