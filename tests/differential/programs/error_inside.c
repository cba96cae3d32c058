#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { int *p = malloc(4 * sizeof *p); free(p + 1); return 0; }
