// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A parser by recursive descent makes the tree of an expression.
#include <stdio.h>
#include <stdlib.h>
struct expression {
  char operator;
  int number;
  struct expression *left, *right;
};
static const char* at;
static void release(struct expression* e) {
  if (e == NULL) return;
  release(e->left);
  release(e->right);
  free(e);
}
static struct expression* make(char operator, int number, struct expression* left, struct expression* right) {
  struct expression* e = malloc(sizeof *e);
  if (e == NULL) {
    release(left);
    release(right);
    return NULL;
  }
  e->operator = operator;
  e->number = number;
  e->left = left;
  e->right = right;
  return e;
}
static struct expression* sum(void);
static struct expression* atom(void) {
  if (*at == '(') {
    at++;
    struct expression* inner = sum();
    if (*at == ')') at++;
    return inner;
  }
  int number = 0;
  while (*at >= '0' && *at <= '9') number = (number * 10 + (*at++ - '0')) % 1000;
  return make('n', number, NULL, NULL);
}
static struct expression* sum(void) {
  struct expression* left = atom();
  while (*at == '+' || *at == '-') {
    char operator = *at++;
    left = make(operator, 0, left, atom());
  }
  return left;
}
static int value(const struct expression* e) {
  if (e == NULL) return 0;
  if (e->operator == 'n') return e->number;
  int left = value(e->left), right = value(e->right);
  return (e->operator == '+' ? left + right : left - right) % 1000;
}
int main(int argc, char** argv) {
  if (argc != 2) return 1;
  at = argv[1];
  struct expression* e = sum();
  printf("%d\n", value(e));
  release(e);
  return 0;
}
