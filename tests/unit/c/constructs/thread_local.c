// TRUE
#include <assert.h>
static _Thread_local int t=4; __thread int u;
int main(void){ t++; u++; assert(t==5&&u==1); return 0; }
