/* Corners of the language; every assertion holds (checked with gcc as well). */
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct flexible { int count; struct point items[]; };
typedef int (*operation)(int, int);
typedef struct { unsigned a : 3, : 2, b : 4; signed c : 5; } bits_t;
enum level { LOW = -2, MIDDLE, HIGH = MIDDLE + 4 };
static int calls;
static int matrix[2][3] = { [1] = { [2] = 9 }, [0][1] = 4 };
static const char *const names[] = { "zero", [2] = "two" };
struct ring { struct ring *next, *prev; } ring = { &ring, &ring };
static struct { struct point at[2]; char name[4]; } nested = { { { 1, 2 }, { .y = 4 } }, "abcd" };

static struct point move(struct point p, int dx) { p.x += dx; return p; }
static int add(int a, int b) { calls++; return a + b; }
static int sub(int a, int b) { return a - b; }
static int sum(int *numbers, size_t count) {
    int total = 0;
    while (count-- > 0)
        total += *numbers++;
    return total;
}
static int old_style(a, b) int a; char b; { return a + b; }
static inline operation choose(bool plus) { return plus ? add : &sub; }
static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }

#define SWAP(a, b) do { typeof(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
#define MAX(a, b) ({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define UNTIL(condition) for (; !(condition);)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expressions(void) {
    int a = 3, b = 4, *p, **pp = &p;
    SWAP(a, b);
    assert(a == 4 && b == 3 && MAX(a, MAX(b, 7)) == 7);
    *(a > b ? &a : &b) = 10;
    assert(a == 10);
    p = &a;
    (*pp)[0] += 2, **pp -= 1;
    assert(a == 11 && pp[0] == &a && *&*p == 11);
    assert((a = 5, a + 1) == 6 && (a += b, a) == 8);
    assert(a++ == 8 && ++a == 10 && a-- == 10 && --a == 8);
    assert((b ?: 9) == 3 && (0 ?: 9) == 9);
    assert(!(a && 0) && (a || 1 / (a - 8)) && !!a == 1);
    unsigned u = 0;
    assert(u - 1 == UINT_MAX && -1 > 0u && (short)70000 == 4464 && (signed char)200 == -56);
    assert((5 & 3) == 1 && (5 ^ 3) == 6 && (5 | 3) == 7 && ~0 == -1 && -17 % 5 == -2 && -17 >> 2 == -5);
    assert('\x41' == 65 && '\0' == 0 && sizeof "abc" == 4 && sizeof(int[3]) == 12 && L'a' == 97);
    assert(0x7fffffffffffffffLL > 0 && 18446744073709551615ULL == -1ULL && 010 == 8);
    long long wide = 1LL << 40;
    assert(wide / 1024 == 1LL << 30 && (int)wide == 0 && (wide >> 38) == 4);
    assert(__builtin_expect(a == 8, 1) && _Generic(a, int: 1, default: 0) && __alignof__(int) == 4);
    double d = 1.5;
    assert(d * 2 == 3.0 && (int)(d + 1.75f) == 3 && -d < 0);
    assert(__func__[0] == 'e');
}

static void objects(void) {
    struct point p = { .y = 2 }, q = p, *at = &q, line[] = { { 1, 2 }, [3] = { 3 }, { 4 } };
    assert(p.x == 0 && COUNT(line) == 5 && line[4].x == 4 && line[2].y == 0);
    at->x = 7;
    assert(q.x == 7 && p.x == 0 && move(q, 3).x == 10 && q.x == 7);
    q = (struct point){ 5 };
    assert(at->x == 5 && at->y == 0 && ((struct point[]){ { 1 }, { 2 } })[1].x == 2);
    at = line + 1;
    assert(at[-1].y == 2 && at - line == 1 && &at[2] == &line[3] && at < &line[4]);
    struct flexible *f = malloc(sizeof *f + 2 * sizeof(struct point));
    f->items[1] = line[3];
    assert(f->items[1].x == 3 && offsetof(struct flexible, items[1].y) == 16);
    free(f);
    bits_t bits = { 9, 17 };
    bits.c = -3;
    bits.b += 2;
    assert(bits.a == 1 && bits.b == 3 && bits.c == -3 && sizeof bits == 4);
    union { uint32_t word; uint8_t bytes[4]; struct { uint16_t low, high; }; } u = { 0x01020304 };
    assert(u.bytes[0] == 4 && u.high == 0x0102 && (u.low = 0, u.word == 0x01020000));
    assert(matrix[0][1] == 4 && *(*(matrix + 1) + 2) == 9 && matrix[1][0] == 0);
    int (*row)[3] = &matrix[1];
    assert((*row)[2] == 9 && row[-1][1] == 4 && sum(matrix[0], 3) == 4);
    assert(nested.at[1].y == 4 && nested.name[3] == 'd' && strcmp(names[2], "two") == 0 && !names[1]);
    assert(ring.next->prev == &ring && sizeof(enum level) == 4 && HIGH == 3 && LOW < 0);
    char text[8] = "ab", *end = text + strlen(text);
    *end++ = 'c', *end = 0;
    assert(!memcmp(text, "abc", 4) && text[7] == 0);
    void *raw = &p;
    assert(((struct point *)raw)->y == 2 && *(int *)((char *)raw + offsetof(struct point, y)) == 2);
}

static void control(void) {
    int i, j, steps = 0;
    for (i = 0, j = 10; i < j; i++, j--)
        if (i == 3)
            continue;
        else if (j == 5)
            break;
        else
            steps++;
    assert(steps == 4 && i == 5);
    UNTIL(steps == 0) steps--;
    for (int k = 0;; k++) {
        switch (k % 4) {
        case 0: steps += 100; /* fall through */
        case 1 ... 2: steps++; break;
        default: goto next;
        }
        continue;
    next:
        if (k > 5)
            break;
    }
    assert(steps == 206);
    switch (HIGH) { case MIDDLE: assert(0); }
    int n = 7, copies = 0;
    switch (n % 4) {
    case 0: do { copies++;
    case 3: copies++;
    case 2: copies++;
    case 1: copies++;
            } while ((n -= 4) > 0);
    }
    assert(copies == 7);
back:
    if (copies-- > 3)
        goto back;
    do
        if (copies == 0) break;
    while (copies--);
    assert(copies == 0 && even(6) && !odd(4));
    operation table[] = { add, sub, choose(true), *choose(false) };
    assert(table[0](1, 2) == 3 && (*table[3])(5, 2) == 3 && (table[2])(1, 1) == 2 && calls == 2);
    assert(old_style(3, 260) == 7);
    static int kept = 5;
    { int kept = 1; kept++; }
    assert(kept == 5);
}

int main(int argc, char **argv) {
    expressions();
    objects();
    control();
    return argc > 1 ? (argv != NULL) - 1 : 0;
}
