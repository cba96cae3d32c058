// TRUE
#include <assert.h>
int t[10]={[0 ... 3]=4,[7]=1};
int main(void){ assert(t[2]==4&&t[4]==0&&t[7]==1); return 0; }
