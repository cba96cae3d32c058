// The loader runs the functions of a section.
#include <assert.h>
static int number = 1;
static void change(void) { number = 2; }
static void (*const table[])(void) __attribute__((section(".init_array"), used)) = {change};
int main(void) {
    assert(number == 1);
    return 0;
}
