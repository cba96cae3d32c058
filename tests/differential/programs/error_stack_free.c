#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { struct n x; free(&x); return 0; }
