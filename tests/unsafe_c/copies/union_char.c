#include <assert.h>

union u {
    int i;
    unsigned char c[4];
};
int main(void) {
    union u x;
    x.i = 257;
    assert(x.c[0] == 0 || x.c[0] == 257 || x.c[1] == 0);
    return 0;
}
