#include <stdlib.h>
#include <stdio.h>
typedef int vec[3];
typedef int fn(int);
struct s { int x; struct s *n; };
int first(int p[2]) { return p[0]; }
int open_(int p[]) { return *p + p[1]; }
int stat_(int p[static 3]) { int *q = p; p++; return q[0] + p[1]; }
int two(int m[][3]) { return m[1][2] + (*m)[1] + sizeof m; }
int ty(vec v) { int **a = (int**)&v; return (int)sizeof v + **a + (v ? v[2] : 0); }
int call(fn f) { return f(3) + (*f)(4); }
int callp(int (*p[])(int)) { return p[0](3) + (*p[1])(2); }
int calls(int f(int), int x) { return (x ? f : f)(x); }
int kr(p, c) int p[]; char c; { return p[0] + c; }
int mem(struct s a[2]) { a->x += 1; return a->x + a[1].x + (a + 1)->x; }
int vla(int n, int p[n]) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int vla2(int n, int m[n][n]);
int dbl(int x) { return 2 * x; }
int cond(int a[2], int b[2], int c) { int *q = c ? a : b; q = (c, a); a += 1; return *q + *a + (a == b) + (int)(a - q); }
int loc(int c) { int a[2] = {1,2}, b[2] = {3,4}; int *q = c ? a : b; int *r = (c, b); struct s z[2] = {{5}}; return q[1] + r[0] + z->x; }
int main(void) {
  int a[3] = {1,2,3}; int m[2][3] = {{1,2,3},{4,5,6}};
  int (*t[2])(int) = {dbl, dbl};
  struct s ss[2] = {{1},{2}};
  printf("%d %d %d %d %d\n", first(a), open_(a), stat_(a), two(m), ty(a));
  printf("%d %d %d %d %d\n", call(dbl), callp(t), calls(dbl, 5), kr(a, 300), mem(ss));
  printf("%d %d %d %d\n", vla(3, a), cond(a, a+1, 1), loc(0), loc(1));
  printf("%d\n", ss[0].x);
  return 0;
}
