#include <assert.h>

union u {
    int i[2];
    long v;
};
int main(void) {
    union u x;
    x.i[0] = 0;
    x.i[1] = 1;
    assert(x.v == 0);
    return 0;
}
