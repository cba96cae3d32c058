#include <stdlib.h>
#include <assert.h>
struct n { struct n *next; int d; };
int get(struct n *p) { return p->d; }
int main(void) { struct n a = {0, 3}; return get(&a) + get(a.next); }
