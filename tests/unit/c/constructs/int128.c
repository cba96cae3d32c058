// TRUE
#include <assert.h>
int main(void){ unsigned __int128 x=(unsigned __int128)1<<64; assert((unsigned long)(x>>64)==1); return 0; }
