// A function that is defined with a label is called by its label.
#include <assert.h>
static int number = 1;
void change(void) __asm__("work");
void change(void) { number = 2; }
void work(void);
int main(void) {
    work();
    assert(number == 1);
    return 0;
}
