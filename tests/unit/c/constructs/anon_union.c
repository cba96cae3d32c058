// TRUE
#include <assert.h>
struct s{int k; union{int i; float f; struct{short lo,hi;};}; };
int main(void){ struct s s={.k=1,.i=0x10002}; assert(s.lo==2&&s.hi==1); s.i=5; assert(s.lo==5); return 0; }
