// FALSE: out_of_bounds
#include <stdlib.h>
struct v{int n; int a[0];};
int main(void){ struct v*v=malloc(sizeof*v+3*sizeof(int)); if(!v)return 1; v->a[3]=1; free(v); return 0; }
