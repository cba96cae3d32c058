// TRUE
#include <stdlib.h>
#include <stdnoreturn.h>
noreturn static void die(void){ exit(1); }
static void cp(int n,int *restrict a,const int *restrict b){ while(n--) *a++=*b++; }
int main(void){ int a[2],b[2]={1,2}; cp(2,a,b); if(a[1]!=2) die(); return 0; }
