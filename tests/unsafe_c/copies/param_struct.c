#include <assert.h>

struct s {
    int v;
};
struct u {
    unsigned v;
};
static unsigned get(struct u x) {
    return x.v;
}
int main(void) {
    struct s x;
    x.v = -1;
    unsigned r = get(*(struct u *)&x);
    assert(r != 4294967295u);
    return 0;
}
