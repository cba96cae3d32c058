#include <assert.h>

union u {
    int i;
    unsigned v;
};
int main(void) {
    union u x;
    x.v = 4294967295u;
    assert(x.i != -1);
    return 0;
}
