#include <assert.h>

static void set(int *p) {
    p[1] = 5;
}
int main(void) {
    int a[2] = {0, 0};
    set(a);
    assert(a[1] == 0);
    return 0;
}
