#include <assert.h>

union u {
    int i;
    unsigned v;
};
int main(void) {
    union u x;
    x.i = -1;
    assert(x.v != 4294967295u);
    return 0;
}
