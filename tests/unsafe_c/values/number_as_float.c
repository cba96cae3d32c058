#include <assert.h>
int main(void) {
  float f = 16777217;
  assert(f == 16777217.0);
  return 0;
}
