// FALSE: assertion
#include <stdatomic.h>
#include <assert.h>
int main(void){ atomic_int m=0; int e=0; if(!atomic_compare_exchange_weak(&m,&e,1)) assert(m==1); return 0; }
