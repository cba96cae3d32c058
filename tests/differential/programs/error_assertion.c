#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { int x = 3; assert(x * x == 10); return 0; }
