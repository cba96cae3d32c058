#include <assert.h>

static int f(char c, int n) {
    if (n == 0)
        return c;
    return f(c + 300, n - 1);
}
int main(void) {
    assert(f(0, 1) == 300);
    return 0;
}
