#include <assert.h>
#include <string.h>

struct s {
    short a, b, c, d;
};
int main(void) {
    struct s x;
    x.a = 0;
    x.b = 1;
    x.c = 2;
    x.d = 3;
    int v;
    memcpy(&v, &x.b, 4);
    assert(v == 1);
    return 0;
}
