// A weak reference stands for the function that it names.
#include <assert.h>
static int number = 1;
void change(void) { number = 2; }
static void work(void) __attribute__((weakref("change")));
int main(void) {
    work();
    assert(number == 1);
    return 0;
}
