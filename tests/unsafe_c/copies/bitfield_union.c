#include <assert.h>

union u {
    struct {
        unsigned a : 4, b : 4;
    } f;
    unsigned char c;
};
int main(void) {
    union u x;
    x.c = 1;
    x.f.b = 1;
    assert(x.c == 1);
    return 0;
}
