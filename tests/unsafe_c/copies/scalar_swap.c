#include <assert.h>

struct s {
    int v;
};
struct u {
    unsigned v;
};
int main(void) {
    struct s x;
    struct u y;
    x.v = -1;
    *(struct s *)&y = x;
    assert(y.v != 4294967295u);
    return 0;
}
