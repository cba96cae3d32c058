// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A syntax tree: the kind of a node says which of its children there are.
#include <stdio.h>
#include <stdlib.h>

enum kind { NUMBER, MINUS, PLUS };

struct expression {
  enum kind kind;
  int value;
  struct expression *left, *right;
};

static struct expression *fresh(enum kind kind, struct expression *left, struct expression *right) {
  struct expression *e = malloc(sizeof *e);
  if (!e)
    abort();
  e->kind = kind;
  e->value = 0;
  e->left = left;
  e->right = right;
  return e;
}

static struct expression *parse(void) {
  struct expression *left, *right;
  int c = getchar();
  if (c == '-') {
    left = parse();
    return fresh(MINUS, left, NULL);
  }
  if (c == '+') {
    left = parse();
    right = parse();
    return fresh(PLUS, left, right);
  }
  left = fresh(NUMBER, NULL, NULL);
  left->value = c;
  return left;
}

static int parity(const struct expression *e) {
  switch (e->kind) {
  case NUMBER:
    return e->value & 1;
  case MINUS:
    return parity(e->left);
  case PLUS:
    return parity(e->left) ^ parity(e->right);
  }
  return 0;
}

static void release(struct expression *e) {
  if (e->kind == PLUS)
    release(e->right);
  if (e->kind != NUMBER)
    release(e->left);
  free(e);
}

int main(void) {
  struct expression *e = parse();
  printf("%d\n", parity(e));
  release(e);
  return 0;
}
