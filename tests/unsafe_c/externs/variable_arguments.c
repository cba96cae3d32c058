// The order of variable arguments, and the index after a copy of the list.
#include <stdarg.h>
extern void reach_error(void);
static int third(int count, ...) {
    va_list list, twin;
    va_start(list, count);
    int first = va_arg(list, int);
    va_copy(twin, list);
    int second = va_arg(twin, int);
    int again = va_arg(list, int);
    int result = va_arg(list, int);
    va_end(twin);
    va_end(list);
    return second == again ? result - first : 0;
}

int main(void) {
    third(1, 9, 9);
    if (third(3, 1, 5, 8) == 7)
        reach_error();
    return 0;
}
