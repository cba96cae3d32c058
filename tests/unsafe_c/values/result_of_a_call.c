#include <assert.h>
int g;
static int five(void) { return 5; }
static int change(void) { g = 9; return 0; }
int main(void) {
  int k = (g = five()) + change();
  assert(k == 9);
  return 0;
}
