// A weak reference to a variable that no file defines has the null pointer for its address.
#include <assert.h>
static int number __attribute__((weakref("nowhere")));
int main(void) {
    assert(&number);
    return 0;
}
