// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of copies of the arguments of the program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {
  char* text;
  struct node* next;
};
static void destroy(struct node* h) {
  while (h) {
    struct node* n = h->next;
    free(h->text);
    free(h);
    h = n;
  }
}
int main(int argc, char** argv) {
  struct node* head = NULL;
  if (argc < 2) {
    fprintf(stderr, "usage: %s words...\n", argv[0]);
    return 1;
  }
  for (int i = 1; i < argc; i++) {
    struct node* n = malloc(sizeof *n);
    if (!n) {
      perror("malloc");
      destroy(head);
      return 1;
    }
    n->text = strdup(argv[i]);
    if (!n->text) {
      free(n);
      destroy(head);
      return 1;
    }
    n->next = head;
    head = n;
  }
  for (struct node* p = head; p; p = p->next) printf("%s\n", p->text);
  destroy(head);
  return 0;
}
