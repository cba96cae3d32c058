#include <assert.h>
struct flags { unsigned x : 3; };
int main(void) {
  struct flags s;
  s.x = 7;
  int k = ++s.x;
  assert(k == 8);
  return 0;
}
