#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { int *p = calloc(3, sizeof *p); int s = 0; for (int i = 0; i <= 3; i++) s += p[i]; free(p); return s; }
