#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int *keep; void f(void) { int x = 4; keep = &x; } int main(void) { f(); return *keep; }
