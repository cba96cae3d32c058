// A weak variable that no file defines has the null pointer for its address.
#include <assert.h>
#define WEAK __attribute__((__weak__))
WEAK extern int number;
int main(void) {
    assert(&number);
    return 0;
}
