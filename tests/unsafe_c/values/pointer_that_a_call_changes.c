struct node { struct node *next; int data; };
static int clear(struct node **p) { *p = 0; return 1; }
int main(void) {
  struct node n, *q, *r;
  r = (q = &n) + clear(&q) - 1;
  if (r) q->data = 1;
  return 0;
}
