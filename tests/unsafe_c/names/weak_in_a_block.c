// A declaration in a function is weak.
#include <assert.h>
int main(void) {
    extern void work(void) __attribute__((weak));
    assert(work);
    return 0;
}
