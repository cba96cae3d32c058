#include <assert.h>
static int change(int *p) { *p = 9; return 0; }
int main(void) {
  int i;
  int k = (i = 5) + change(&i);
  assert(k == 9);
  return 0;
}
