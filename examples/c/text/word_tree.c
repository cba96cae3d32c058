// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A binary search tree of words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct tree {
  char* key;
  int count;
  struct tree *left, *right;
};
static struct tree* insert(struct tree* t, const char* key) {
  if (t == NULL) {
    t = malloc(sizeof *t);
    if (t == NULL) return NULL;
    t->key = strdup(key);
    if (t->key == NULL) {
      free(t);
      return NULL;
    }
    t->count = 1;
    t->left = t->right = NULL;
    return t;
  }
  int c = strcmp(key, t->key);
  if (c < 0)
    t->left = insert(t->left, key);
  else if (c > 0)
    t->right = insert(t->right, key);
  else
    t->count++;
  return t;
}
static void print(const struct tree* t) {
  if (!t) return;
  print(t->left);
  printf("%s %d\n", t->key, t->count);
  print(t->right);
}
static void destroy(struct tree* t) {
  if (!t) return;
  destroy(t->left);
  destroy(t->right);
  free(t->key);
  free(t);
}
int main(void) {
  struct tree* root = NULL;
  char word[64];
  while (fgets(word, sizeof(word), stdin)) root = insert(root, word);
  print(root);
  destroy(root);
  return 0;
}
