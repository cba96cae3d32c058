#include <assert.h>

int main(void) {
    const char *s = "a\x41\0b";
    assert(s[1] != 65);
    return 0;
}
