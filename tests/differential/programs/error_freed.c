#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { struct n *p = malloc(sizeof *p); p->d = 1; free(p); return p->d; }
