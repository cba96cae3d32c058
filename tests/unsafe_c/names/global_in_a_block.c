#include <stdlib.h>
struct node { struct node *next; int data; };
struct node *p;
int main(void) {
  struct node *p = malloc(sizeof *p), *q;
  {
    extern struct node *p;
    q = p;
  }
  q->data = 1;
  free(p);
  return 0;
}
