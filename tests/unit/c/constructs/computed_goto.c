// TRUE
#include <assert.h>
int main(void){ static void *t[]={&&a,&&b}; int i=0; goto *t[i]; a: i=1; goto *t[1]; b: assert(i==1); return 0; }
