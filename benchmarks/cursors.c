// Five pointers that move along one list, each as far as it likes: more than a million structures, one after the other.
#include <stdlib.h>

struct node {
  struct node *next;
};
extern int any(void);

int main(void) {
  struct node *list = NULL;
  while (any()) {
    struct node *n = malloc(sizeof *n);
    if (!n) break;
    n->next = list;
    list = n;
  }
  struct node *a = list, *b = list, *c = list, *d = list, *e = list;
  while (any()) {
    switch (any()) {
      case 0: if (a) a = a->next; break;
      case 1: if (b) b = b->next; break;
      case 2: if (c) c = c->next; break;
      case 3: if (d) d = d->next; break;
      default: if (e) e = e->next; break;
    }
  }
  while (list) {
    struct node *n = list->next;
    free(list);
    list = n;
  }
  return 0;
}
