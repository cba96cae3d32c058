#include <assert.h>

int g;
static void f(int n) {
    if (n == 0) {
        g = 1;
        return;
    }
    f(n - 1);
}
int main(void) {
    f(3);
    assert(g == 0);
    return 0;
}
