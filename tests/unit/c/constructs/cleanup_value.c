// FALSE: assertion
#include <assert.h>
static void clear(int *x){ *x = 0; }
static int value(void){ __attribute__((cleanup(clear))) int x = 7; return x; }
int main(void){ assert(value() == 0); return 0; }
