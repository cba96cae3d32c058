// TRUE
#include <assert.h>
typedef int (*op)(int,int); static int add(int a,int b){return a+b;} static int sub(int a,int b){return a-b;}
static op (*choose(int k))(int){ return 0; }
static const struct{const char*n; op f;} t[]={{"+",add},{"-",sub}};
int main(void){ int (*(*pp))(int,int)=(int(**)(int,int))0; (void)pp; (void)choose; assert(t[1].f(5,2)==3&&(*t[0].f)(1,2)==3&&(**add)(1,1)==2); return 0; }
