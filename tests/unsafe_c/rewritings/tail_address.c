#include <assert.h>

static int f(int *p, int n) {
    int x = n;
    if (n == 0)
        return *p;
    return f(&x, n - 1);
}
int main(void) {
    int y = 7;
    assert(f(&y, 0) == 0);
    return 0;
}
