// TRUE
#include <assert.h>
#include <stdlib.h>
struct pair { int a; int b; };
struct outer { struct pair in; struct pair two[2]; int m[2]; struct { int x, y; }; union { long k; int small; }; };
static struct pair table[3] = { [1].a = 1, 2, 3, [0] = { 5 } };
static int grid[3][2] = { [0 ... 1] = { 7, 8 }, [1][0] = 9, [2][0 ... 1] = 6 };
static int calls;
static int once(void) { return ++calls; }
int main(void)
{
    assert(table[0].a == 5 && table[0].b == 0 && table[1].a == 1 && table[1].b == 2 && table[2].a == 3);
    assert(grid[0][1] == 8 && grid[1][0] == 9 && grid[1][1] == 8 && grid[2][0] == 6 && grid[2][1] == 6);
    struct outer o = { .two[0].b = 1, 2, 3, .m = 4, 5, .x = 6, 7, .k = -1, .small = 8, .in = { 9 } };
    assert(o.in.a == 9 && o.in.b == 0 && o.two[0].a == 0 && o.two[0].b == 1 && o.two[1].a == 2 && o.two[1].b == 3);
    assert(o.m[0] == 4 && o.m[1] == 5 && o.x == 6 && o.y == 7 && o.small == 8);
    int local[4] = { [0 ... 3] = once(), [1] = 3, [1] = once() };
    assert(calls == 2 && local[0] == local[2] && local[3] == local[0] && local[1] != local[0]);
    struct outer over = { .in.b = 4, .in = { 1 }, .m = { 1, 2 }, .m[0] = 3 };
    assert(over.in.b == 0 && over.m[0] == 3 && over.m[1] == 2);
    return 0;
}
