#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };

static struct tree *insert(struct tree *t, int key) {
    if (t == NULL) {
        t = calloc(1, sizeof *t);
        t->key = key;
    } else if (key < t->key)
        t->left = insert(t->left, key);
    else if (key > t->key)
        t->right = insert(t->right, key);
    return t;
}

static int ordered(struct tree *t, int low, int high) {
    return t == NULL
        || (low < t->key && t->key < high && ordered(t->left, low, t->key) && ordered(t->right, t->key, high));
}

static void release(struct tree *t) {
    if (t) {
        release(t->left);
        release(t->right);
        free(t);
    }
}

int main(void) {
    struct tree *root = NULL;
    for (int i = 0; i < 3; i++) {
        int key = __VERIFIER_nondet_int();
        if (key > -100 && key < 100)
            root = insert(root, key);
    }
    assert(ordered(root, -100, 100));
    release(root);
    return 0;
}
