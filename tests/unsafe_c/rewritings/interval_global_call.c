#include <assert.h>

int g;
static void f(int n) {
    if (n > 0) {
        g = 5;
        f(n - 1);
        f(n - 2);
    }
}
int main(void) {
    g = 0;
    f(2);
    int a[2];
    a[0] = 1;
    a[1] = 1;
    assert(g == 0);
    return 0;
}
