struct node { struct node *next; int data; };
const struct node fixed;
int main(void) {
  struct node *p = (struct node *)&fixed;
  p->data = 4;
  return 0;
}
