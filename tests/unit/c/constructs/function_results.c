// TRUE
#include <assert.h>
#include <stdarg.h>
static int twice(int x) { return 2 * x; }
static int minus(int x) { return -x; }
static int (*current)(int) = minus;
static int (*exchange(int signal, int (*handler)(int)))(int)
{
    int (*old)(int) = current;
    assert(signal == 7);
    current = handler;
    return old;
}
static int (*pick(int count, ...))(int x)
{
    va_list list;
    va_start(list, count);
    int number = count == 1 ? va_arg(list, int) : 0;
    va_end(list);
    return number == 5 ? twice : minus;
}
static int (*row(int (*rows)[3], int index))[3] { return rows + index; }
static int old_style(a, f) char a; int (*f)(int); { return f(a); }
int main(void)
{
    int table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    assert(exchange(7, twice)(3) == -3);
    assert((*exchange(7, minus))(3) == 6);
    assert(pick(1, 5)(4) == 8 && pick(0)(4) == -4);
    assert((*row(table, 1))[2] == 6);
    assert(old_style(257, minus) == -1);
    return 0;
}
