// A name that stands for another function changes what that one changes.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int value;
void change(void) { value = 1; }
void other(void) __attribute__((alias("change")));
int main(void) {
    while (__VERIFIER_nondet_int() > 0)
        other();
    assert(value == 0);
    return 0;
}
