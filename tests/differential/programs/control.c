#include <stdio.h>
#include <stdlib.h>
static int calls;
static int yes(int x) { calls++; return x; }
static int counter(void) { static int n = 5; return n++; }
static int collatz(int n) { return n == 1 ? 0 : 1 + collatz(n % 2 ? 3 * n + 1 : n / 2); }
static int odd(int n);
static int even(int n) { return n ? odd(n - 1) : 1; }
static int odd(int n) { return n ? even(n - 1) : 0; }
static int kind(int x) {
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 10; break;
    default: r += 100;
    case 5: case 6: r += 1000; break;
    case -3: { int y = x * x; r = y; break; }
    }
    return r;
}
static int duff(int n) { int s = 0; switch (n % 3) { case 0: do { s += 1; case 2: s += 10; case 1: s += 100; } while ((n -= 3) > 0); } return s; }
int main(void) {
    int i, j = 0, x = 3;
    for (i = 0; i < 3; i++) { if (i == 1) continue; printf("%d ", i); }
    while (1) { if (++j > 4) break; }
    do j--; while (j > 2);
    printf("%d %d\n", i, j);
    printf("%d %d %d %d %d %d\n", kind(1), kind(2), kind(3), kind(5), kind(-3), kind(6));
    printf("%d %d\n", duff(5), duff(6));
    (void)(yes(0) && yes(1)); (void)(yes(1) || yes(0)); printf("%d\n", calls);
    printf("%d %d %d\n", (yes(2), yes(3)), x > 2 ? x < 5 ? 1 : 2 : 3, x ?: 9);
    printf("%d %d ", counter(), 0); printf("%d\n", counter());
    { int x = 4; { int x = 5; printf("%d ", x); } printf("%d ", x); } printf("%d\n", x);
    i = 0;
again:
    if (i < 3) { int fresh = i * 2; printf("%d,", fresh); i++; goto again; }
    for (int k = 0, m = 10; k < m; k += 3, m--) printf("%d:%d ", k, m);
    printf("\n%d %d %d\n", collatz(27), even(10), odd(7));
    int a = 1, b = 2; a = (b = a + b, b * 2); x = a++ + --b; printf("%d %d %d\n", a, b, x);
    x = a-- - --b; printf("%d %d %d\n", x, a, b);
    int v = 10; v -= 3, v += v; printf("%d\n", v > 0);
    if (v) if (!v) printf("no"); else printf("inner\n");
    exit(a == 5 ? 7 : 8);
}
