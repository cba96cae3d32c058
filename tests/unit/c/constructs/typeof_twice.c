// TRUE
#include <assert.h>
#define LARGER(a, b) ({ typeof(a) a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
#define TWO(x) ({ typeof(x) pair[2] = {(x), (x)}; sizeof pair; })
static int small(char x, char y) { return LARGER(x, y) + TWO(x); }
static long large(long x, long y) { return LARGER(x, y) + TWO(x); }
static int inner(void) { typedef char word; word a[2]; return sizeof a; }
static int outer(void) { typedef long word; word a[2]; return sizeof a; }
static int one(void) { union u { char c; } a[2]; return sizeof a; }
static int two(void) { union u { long c; } a[2]; return sizeof a; }
static int first(void) { enum e { A = -1 } x = A; return x < 0; }
static int second(void) { enum e { B = 1 } x = B; return x - 2 < 0; }
int main(void) {
    assert(small(1, 2) == 4);
    assert(large(1L << 40, 1) == (1L << 40) + 16);
    assert(inner() == 2 && outer() == 16);
    assert(one() == 2 && two() == 16);
    assert(first() == 1 && second() == 0);
    return 0;
}
