/* A search tree whose nodes keep their color in the low bits of the parent, in the manner of the kernel's rbtree.h. */
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define RED 0
#define BLACK 1

struct rb_node {
    unsigned long parent_color;
    struct rb_node *right;
    struct rb_node *left;
} __attribute__((aligned(sizeof(long))));

struct rb_root {
    struct rb_node *node;
};

struct entry {
    struct rb_node rb;
    int key;
};

#define rb_parent(r) ((struct rb_node *)((r)->parent_color & ~3UL))
#define rb_color(r) ((r)->parent_color & 1)
#define rb_is_red(r) (!rb_color(r))
#define rb_entry(pointer) ((struct entry *)((char *)(pointer) - offsetof(struct entry, rb)))

static void rb_set_parent(struct rb_node *node, struct rb_node *parent) {
    node->parent_color = (node->parent_color & 3) | (unsigned long)parent;
}

static void rb_set_black(struct rb_node *node) {
    node->parent_color |= BLACK;
}

static void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link) {
    node->parent_color = (unsigned long)parent;
    node->left = NULL;
    node->right = NULL;
    *link = node;
}

static int insert(struct rb_root *root, int key) {
    struct rb_node **link = &root->node, *parent = NULL;
    while (*link != NULL) {
        parent = *link;
        if (key == rb_entry(parent)->key)
            return 0;
        link = key < rb_entry(parent)->key ? &parent->left : &parent->right;
    }
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        return -1;
    entry->key = key;
    rb_link_node(&entry->rb, parent, link);
    if (parent == NULL)
        rb_set_black(&entry->rb);
    return 1;
}

static struct rb_node *first_leaf(struct rb_node *node) {
    while (node->left != NULL || node->right != NULL)
        node = node->left != NULL ? node->left : node->right;
    return node;
}

static void clear(struct rb_root *root) {
    while (root->node != NULL) {
        struct rb_node *leaf = first_leaf(root->node);
        struct rb_node *parent = rb_parent(leaf);
        if (parent == NULL)
            root->node = NULL;
        else if (parent->left == leaf)
            parent->left = NULL;
        else
            parent->right = NULL;
        free(rb_entry(leaf));
    }
}

int main(void) {
    struct rb_root root = { NULL };
    for (int round = 0; round < 3 && __VERIFIER_nondet_int(); round++)
        insert(&root, __VERIFIER_nondet_int());
    if (root.node != NULL && rb_is_red(root.node))
        rb_set_parent(root.node, NULL);
    clear(&root);
    return 0;
}
