#include <assert.h>
#include <string.h>

struct s {
    int a, b;
};
struct l {
    long v;
};
int main(void) {
    struct s x;
    struct l y;
    x.a = 1;
    x.b = 1;
    memcpy(&y, &x, 8);
    assert(y.v == 1);
    return 0;
}
