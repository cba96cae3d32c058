struct node { struct node *next; int data; };
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct node *p = 0;
  switch (__VERIFIER_nondet_int()) {
    struct node n;
  case 1:
    p = &n;
    n.data = 3;
    break;
  default:;
  }
  if (p) p->data = 1;
  return 0;
}
