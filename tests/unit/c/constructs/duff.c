// TRUE
#include <assert.h>
int main(void){ int n=5,c=0; switch(n%4){ case 0: do{ c++; case 3: c++; case 2: c++; case 1: c++; }while((n-=4)>0); } assert(c==5); return 0; }
