#include <assert.h>

union u {
    int i;
    unsigned v;
} g = {-1};
int main(void) {
    assert(g.v != 4294967295u);
    return 0;
}
