#include <assert.h>
#include <string.h>

static int f(void) {
    return 1;
}
static int g(void) {
    return 2;
}
int main(void) {
    int (*a)(void) = f;
    int (*b)(void) = g;
    memcpy(&a, &b, sizeof a);
    assert(a() == 1);
    return 0;
}
