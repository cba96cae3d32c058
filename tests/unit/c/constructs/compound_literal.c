// TRUE
#include <assert.h>
struct s{int a; int *p;};
static int sum(struct s s){return s.a+*s.p;}
int main(void){ int x=2; assert(sum((struct s){.a=1,.p=&x})==3); int *q=(int[]){1,2,3}; assert(q[2]==3); return 0; }
