#include <assert.h>
#include <string.h>

struct s {
    int a, b;
};
int main(void) {
    struct s x = {1, 2};
    struct s y = {3, 4};
    memcpy(&x.a, &y, 8);
    assert(x.b == 2);
    return 0;
}
