#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int first(int p[2]) { return p[0]; } int main(void) { return first(0); }
