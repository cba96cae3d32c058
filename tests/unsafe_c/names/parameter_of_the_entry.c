#include <assert.h>
int argc = 3;
static int count(void) { return argc; }
int main(int argc, char **argv) {
  argc = 5;
  assert(count() == 5);
  return 0;
}
