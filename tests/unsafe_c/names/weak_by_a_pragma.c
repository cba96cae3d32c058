// A function that a pragma makes weak, and that no file defines, is the null pointer.
#include <assert.h>
extern void work(void);
#pragma weak work
int main(void) {
    assert(work);
    return 0;
}
