struct node { struct node *next; int data; };
int main(void) {
  struct node *p;
  goto inside;
  {
    struct node n;
    n.data = 1;
  inside:
    p = &n;
  }
  p->data = 3;
  return 0;
}
