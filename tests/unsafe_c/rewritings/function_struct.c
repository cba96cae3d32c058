#include <assert.h>

struct o {
    int (*p)(void);
};
static int f(void) {
    return 1;
}
static int g(void) {
    return 2;
}
int main(void) {
    struct o a = {f}, b = {g};
    struct o *q = &a;
    *q = b;
    assert(a.p() == 1);
    return 0;
}
