#include <stdlib.h>
struct node { struct node *next; int data; };
struct node *first;
static void down(int k) {
  if (k) down(k - 1);
  else first->data = 1;
}
int main(void) {
  struct node *first = malloc(sizeof *first);
  down(3);
  free(first);
  return 0;
}
