#include <stdlib.h>
struct flags { unsigned x : 1; };
struct node { struct node *next; int data; };
int main(void) {
  struct flags *s = malloc(sizeof *s);
  struct node *p = 0;
  if ((s->x = 2)) { free(s); return 0; }
  p->data = 1;
  free(s);
  return 0;
}
