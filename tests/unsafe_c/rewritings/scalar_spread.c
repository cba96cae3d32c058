#include <assert.h>

struct s {
    int a, b;
};
int main(void) {
    struct s x = {1, 2};
    int *p = &x.a;
    p[1] = 5;
    assert(x.b == 2);
    return 0;
}
