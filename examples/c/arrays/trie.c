// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A trie of words over 26 letters: each node has a pointer for each letter.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int ends;
    struct node *kid[26];
};

static struct node *create(void) {
    return calloc(1, sizeof(struct node));
}

static void insert(struct node *node) {
    for (;;) {
        int letter = __VERIFIER_nondet_int();
        if (letter < 'a' || letter > 'z')
            break;
        int i = letter - 'a';
        if (!node->kid[i]) {
            node->kid[i] = create();
            if (!node->kid[i])
                return;
        }
        node = node->kid[i];
    }
    node->ends = 1;
}

static void destroy(struct node *node) {
    if (!node)
        return;
    for (int i = 0; i < 26; i++)
        destroy(node->kid[i]);
    free(node);
}

int main(void) {
    struct node *root = create();
    if (!root)
        return 1;
    while (__VERIFIER_nondet_int())
        insert(root);
    destroy(root);
    return 0;
}
