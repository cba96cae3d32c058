// TRUE
#include <assert.h>
int main(void){ int x=3; assert((x++ ?: 9)==3 && x==4); int *p=0; assert((p ?: &x)==&x); return 0; }
