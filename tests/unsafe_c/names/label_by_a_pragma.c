// A pragma renames a function for the linker.
#include <assert.h>
static int number = 1;
void change(void) { number = 2; }
void work(void);
#pragma redefine_extname work change
int main(void) {
    work();
    assert(number == 1);
    return 0;
}
