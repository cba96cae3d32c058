#include <stdlib.h>
struct node { struct node *next; int data; };
struct node *p;
static void touch(void) { p->data = 1; }
int main(void) {
  struct node *p = malloc(sizeof *p);
  touch();
  free(p);
  return 0;
}
