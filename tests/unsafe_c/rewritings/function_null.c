#include <assert.h>

static int f(void) {
    return 1;
}
int (*p)(void);
int main(void) {
    assert(p == f);
    return 0;
}
