struct node { struct node *next; int data; };
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct node *p = 0;
  switch (__VERIFIER_nondet_int()) {
  case 0: {
    struct node n;
    n.data = 1;
  case 1:
    p = &n;
  }
  default:;
  }
  if (p) p->data = 1;
  return 0;
}
