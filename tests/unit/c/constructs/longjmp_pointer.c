// UNKNOWN: only calls of it by name are followed
#include <setjmp.h>
static jmp_buf env;
int main(void){ void (*jump)(jmp_buf,int)=longjmp; if(setjmp(env)) { int *p=0; *p=1; } jump(env,1); }
