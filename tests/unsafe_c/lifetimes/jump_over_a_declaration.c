struct node { struct node *next; int data; };
int main(void) {
  struct node *p = 0;
  for (int i = 0; i < 2; i++) {
    if (p) p->data = 2;
    goto behind;
    struct node n;
  behind:
    p = &n;
    n.data = 4;
  }
  return 0;
}
