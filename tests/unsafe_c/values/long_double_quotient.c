#include <assert.h>
int main(void) {
  long double third = 1.0L / 3.0L;
  double d = third;
  assert(d == third);
  return 0;
}
