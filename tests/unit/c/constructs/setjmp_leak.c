// FALSE: memory_leak
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf env;
int main(void){ char *p=malloc(4); if(setjmp(env)==0) return p==0; free(p); return 1; }
