// A weak function that no file defines is the null pointer.
#include <assert.h>
extern void work(void) __attribute__((weak));
int main(void) {
    assert(work);
    return 0;
}
