#include <assert.h>

union u {
    struct {
        int a, b;
    } s;
    long l;
};
int main(void) {
    union u x;
    x.l = 0;
    x.s.b = 1;
    assert(x.l == 0);
    return 0;
}
