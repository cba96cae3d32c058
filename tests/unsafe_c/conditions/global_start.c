// The globals do not begin with equal numbers.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int x = 1, y;
int main(void) {
    while (__VERIFIER_nondet_int() > 0) {
        x++;
        y++;
    }
    assert(x == y);
    return 0;
}
