#include <assert.h>
#include <string.h>

static int f(void) {
    return 1;
}
int main(void) {
    int (*a)(void) = f;
    long l;
    memcpy(&l, &a, sizeof l);
    assert(l == 0 || l == 0x4B000000);
    return 0;
}
