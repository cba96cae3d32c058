#include <assert.h>
static void nothing(void) {}
int main(void) {
  void (*call)(void) = nothing;
  assert(call == (void (*)(void))0x4B000000L);
  return 0;
}
