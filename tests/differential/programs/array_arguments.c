#include <stdlib.h>
#include <stdio.h>
int f(char p[4]) { int r = p ? p[0] : -1; free(p); return r; }
int g(int *p[]) { return p ? *p[0] : 7; }
int h(int p[2], int x) { return x ? p[0] : 0; }
char *mk(void) { char *p = calloc(1, 4); p[0] = 5; return p; }
int w(char p[10]) { return p[1]; }
int fx(int f(int)) { return f ? f(2) : 9; }
int id(int x) { return x; }
int main(void) {
  char big[20] = {1, 2}; int z = 3; int *zs[] = {&z};
  printf("%d %d %d %d\n", f(mk()), f(NULL), g(NULL), g(zs));
  printf("%d %d %d %d %d %d\n", h(NULL, 0), w(big), fx(0), fx(id), fx(&id), w("abc"));
  char *q = (char*)(int*)calloc(1, 4); printf("%d\n", f(q));
  printf("%d\n", f(calloc(2,2)));
  return 0;
}
