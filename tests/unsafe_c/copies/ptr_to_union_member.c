#include <assert.h>

union u {
    int i;
    unsigned v;
};
int main(void) {
    union u x;
    unsigned *p = &x.v;
    x.i = -1;
    assert(*p != 4294967295u);
    return 0;
}
