// A label makes another variable of this name that of the definition.
#include <assert.h>
int number = 1;
extern int other __asm__("number");
int main(void) {
    other = 2;
    assert(number == 1);
    return 0;
}
