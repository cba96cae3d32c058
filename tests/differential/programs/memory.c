#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct point { int x, y; };
struct box { struct point lo, hi; char name[4]; };
union number { int i; unsigned char b[4]; unsigned u; short h[2]; };
struct bits { unsigned a : 3; int b : 5; unsigned c : 1; unsigned : 0; unsigned long long d : 40; };
struct pair { char tag; union { int n; char t[4]; }; struct { short p, q; }; };
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static op choose(int c) { return c ? add : sub; }
static struct point swap(struct point p) { struct point r = {p.y, p.x}; p.x = 99; return r; }
static int table[3][2] = {{1, 2}, [2] = {5}};
static struct box boxes[] = {[1] = {.hi.y = 4, .lo = {1}, .name = "ab"}, [0].name = {'x'}};
static const char *words[] = {"one", "two", "three"};
static int *inside = &table[1][1];
int main(void) {
    struct point p = {1, 2}, q = swap(p), *pp = &q; struct box b = boxes[1], b2;
    b2 = b; b2.lo.x = 7; pp->y += 10;
    printf("%d %d %d %d %d %d\n", p.x, p.y, q.x, q.y, b.lo.x, b2.lo.x);
    printf("%d %d %s %c %d\n", b.hi.y, b.hi.x, b.name, boxes[0].name[0], (int)(sizeof boxes / sizeof *boxes));
    union number n; n.i = -2; printf("%u %d %d %d\n", n.u, n.b[0], n.b[3], n.h[0]);
    n.b[1] = 1; printf("%x\n", n.u);
    struct bits t = {9, -3, 3, 1ull << 39}; t.b++; t.a += 7; printf("%d %d %d %llu %d\n", t.a, t.b, t.c, (unsigned long long)t.d, (int)sizeof t);
    t.b = 15; t.b++; printf("%d\n", t.b);
    struct pair r = {'t', {.t = "abc"}, {3, 4}}; printf("%c %x %d %d\n", r.tag, r.n, r.p, r.q);
    int a[5] = {1, 2, 3}, *e = a + 5, *m = a; printf("%d %d %d\n", (int)(e - m), a[3], *(e - 3));
    while (m < e) *m++ *= 2; printf("%d %d\n", a[0], m == e);
    *inside = 8; printf("%d %d %d %d\n", table[1][1], table[2][0], table[2][1], **table);
    int (*row)[2] = table + 2; printf("%d %d\n", (*row)[0], row[-1][1]);
    printf("%s %c %d\n", words[2] + 2, *words[1], (int)strlen(words[0]));
    char text[8] = "abc", *copy = malloc(8); strcpy(copy, text); copy[1] = 'X'; memmove(copy + 1, copy, 3); copy[4] = 0;
    printf("%s %s %d %d\n", text, copy, strcmp(text, "abd") < 0, text[5]);
    free(copy);
    printf("%d %d %d\n", choose(1)(5, 3), choose(0)(5, 3), (*choose(1))(1, 1));
    op ops[] = {add, sub}; printf("%d %d\n", ops[1](9, 4), ops[0] == add);
    int *z = calloc(3, sizeof *z); z[2] = 5; z = realloc(z, 6 * sizeof *z); printf("%d %d\n", z[0], z[2]); free(z);
    void *raw = malloc(sizeof(struct box)); memset(raw, 0, sizeof(struct box)); ((struct box *)raw)->hi = p;
    printf("%d %d\n", ((struct box *)raw)->hi.y, ((int *)raw)[2]); free(raw);
    struct point *lit = &(struct point){.y = 3}; printf("%d %d\n", lit->x, (int[]){4, 5}[1]);
    int **deep = malloc(sizeof *deep); *deep = a; (*deep)[1] = 77; printf("%d %d\n", a[1], deep[0][2]); free(deep);
    unsigned char bytes[4]; int whole = 0x01020304; memcpy(bytes, &whole, 4); printf("%d %d\n", bytes[0], bytes[3]);
    printf("%d %d %d\n", (int)sizeof(struct box), (int)sizeof(struct pair), (int)sizeof(union number));
    long addr = (long)a; int *back = (int *)addr; printf("%d\n", back[0]);
    return p.x + q.y;
}
