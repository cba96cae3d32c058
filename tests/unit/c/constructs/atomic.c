// TRUE
#include <stdatomic.h>
#include <assert.h>
_Atomic int n; atomic_int m = 3;
int main(void){ n++; n+=2; assert(n==3); atomic_fetch_add(&m,1); assert(atomic_load(&m)==4); atomic_store(&m,9); assert(m==9); return 0; }
