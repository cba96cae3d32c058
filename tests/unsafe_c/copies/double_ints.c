#include <assert.h>

union u {
    int i[2];
    double f;
};
int main(void) {
    union u x;
    x.i[1] = 1;
    x.f = 1.0;
    assert(x.i[1] == 1);
    return 0;
}
