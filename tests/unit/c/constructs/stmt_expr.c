// TRUE
#include <assert.h>
#define max(a,b) ({ __typeof__(a) _a=(a); __typeof__(b) _b=(b); _a>_b?_a:_b; })
int main(void){ int x=3; assert(max(x++,2)==3 && x==4); return 0; }
