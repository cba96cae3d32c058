#include <assert.h>

struct s {
    union {
        int a;
        unsigned b;
    } u;
    int c;
};
int main(void) {
    struct s x;
    x.u.a = -1;
    x.c = 0;
    struct s y = x;
    assert(y.u.b != 4294967295u);
    return 0;
}
