#include <assert.h>

struct s {
    int v : 1;
};
int main(void) {
    struct s x;
    x.v = 1;
    assert(x.v == 1);
    return 0;
}
