#include <assert.h>

union u {
    int i;
    float f;
};
int main(void) {
    union u x;
    x.i = 1;
    x.f = 1.0f;
    assert(x.i == 1);
    return 0;
}
