#include <assert.h>

static int f(int a, int b, int n) {
    if (n == 0)
        return a;
    return f(b, a, n - 1);
}
int main(void) {
    assert(f(1, 2, 1) == 1);
    return 0;
}
