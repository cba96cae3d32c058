// TRUE
#include <assert.h>
int main(void){ int a[3]={0}; int i=0; a[i++]=i, a[i]=7; assert(a[1]==7); int *p=a; *p++=5; assert(a[0]==5&&p==a+1); 1[a]=8; assert(a[1]==8); return 0; }
