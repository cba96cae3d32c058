// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Disjoint sets: each element of an array leads to another one.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int root(const int* parent, int element) {
  while (parent[element] != element) element = parent[element];
  return element;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 100000) return 0;
  int* parent = malloc(n * sizeof *parent);
  if (parent == NULL) return 0;
  for (int i = 0; i < n; i++) parent[i] = i;
  while (__VERIFIER_nondet_int()) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a >= n || b < 0 || b >= n) continue;
    parent[root(parent, a)] = root(parent, b);
  }
  free(parent);
  return 0;
}
