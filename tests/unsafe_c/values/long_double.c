#include <assert.h>
int main(void) {
  unsigned long u = 18446744073709551615ul;
  double d = u;
  assert(d == 18446744073709551615.0L);
  return 0;
}
