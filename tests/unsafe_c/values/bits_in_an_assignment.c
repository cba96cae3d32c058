#include <assert.h>
struct flags { int x : 3; };
int main(void) {
  struct flags s;
  int k = (s.x = 7);
  assert(k == 7);
  return 0;
}
