#include <assert.h>

static int f(void) {
    return 1;
}
int main(void) {
    unsigned long l = (unsigned long)f;
    assert(l == 0x4B000000);
    return 0;
}
