// TRUE
#include <stdlib.h>
#include <assert.h>
struct v{int n; int a[];};
int main(void){ struct v*v=malloc(sizeof*v+3*sizeof(int)); if(!v)return 1; v->n=3; for(int i=0;i<3;i++)v->a[i]=i; assert(v->a[2]==2); free(v); return 0; }
