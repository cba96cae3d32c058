#include <assert.h>
static int change(int *p) { *p = 9; return 0; }
static int first(int a, int b) { return a; }
int main(void) {
  int i = 4;
  int k = first(++i, change(&i));
  assert(k == 9);
  return 0;
}
