#include <assert.h>

int main(void) {
    assert("a\"b"[1] != 34);
    return 0;
}
