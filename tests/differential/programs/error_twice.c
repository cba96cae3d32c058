#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { struct n *p = malloc(sizeof *p), *q = p; free(p); free(q); return 0; }
