// Two counters that advance together, one of which wraps around earlier.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned char x = 0;
    int y = 0;
    int rounds = __VERIFIER_nondet_int();
    for (int i = 0; i < rounds && i < 1000; i++) {
        x++;
        y++;
    }
    assert(x == y);
    return 0;
}
