// A declaration in a function has a label.
#include <assert.h>
int number = 1;
int main(void) {
    extern int other __asm__("number");
    other = 2;
    assert(number == 1);
    return 0;
}
