extern int __VERIFIER_nondet_int(void);
const int fixed[2] = {1, 2};
static void set(int *p, int n) { if (n > 0) set(p, n - 1); if (n == 0) *p = 4; if (n > 0) set(p, n - 1); }
int main(void) {
  int x[2] = {0, 0};
  set(__VERIFIER_nondet_int() ? (int *)&fixed[1] : &x[1], 3);
  return 0;
}
