#include <string.h>
struct node { struct node *next; int data; };
const struct node fixed = {0, 3};
int main(void) {
  struct node *volatile p = (struct node *)&fixed;
  p->data = fixed.data;
  return 0;
}
