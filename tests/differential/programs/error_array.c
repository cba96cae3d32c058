#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int main(void) { int a[3] = {0}; int i = 3; a[i] = 1; return 0; }
