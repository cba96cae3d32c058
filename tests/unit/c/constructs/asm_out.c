// UNKNOWN: inline assembly
#include <assert.h>
int main(void){ int x=1,y; __asm__("mov %1,%0":"=r"(y):"r"(x)); assert(y==1); return 0; }
