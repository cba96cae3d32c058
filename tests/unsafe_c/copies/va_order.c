#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct s {
    int v;
};
int main(void) {
    int a = __VERIFIER_nondet_int();
    unsigned b;
    memcpy(&b, &a, 4);
    if (a < 0)
        assert(b < 5u || b <= 2147483647u);
    return 0;
}
