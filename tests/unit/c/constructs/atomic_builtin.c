// TRUE
#include <assert.h>
int main(void){ int i=1; __atomic_fetch_add(&i,2,__ATOMIC_SEQ_CST); assert(__atomic_load_n(&i,__ATOMIC_RELAXED)==3); return 0; }
