#include <assert.h>

int main(void) {
    int c = "\xff"[0];
    assert(c == 255);
    return 0;
}
