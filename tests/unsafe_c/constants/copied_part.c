#include <string.h>
struct node { struct node *next; int data; };
const struct node fixed = {0, 3};
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct node n = {0, 4}, other = {0, 5};
  struct node *p = __VERIFIER_nondet_int() ? &other : (struct node *)&fixed;
  memmove(p, &n, 8);
  return 0;
}
