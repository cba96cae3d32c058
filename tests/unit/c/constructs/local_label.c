// TRUE
#include <assert.h>
int main(void){ int r=0; for(int i=0;i<2;i++){ __label__ out; if(i==0) goto out; r++; out:; } assert(r==1); return 0; }
