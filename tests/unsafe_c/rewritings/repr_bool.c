#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    bool b = a;
    if (a < 0)
        assert(!b);
    return 0;
}
