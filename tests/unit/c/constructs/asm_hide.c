// TRUE
#include <assert.h>
int main(void){ int x=1; __asm__ volatile("" : "+r"(x) : : "memory"); __asm__ __volatile__("rep; nop" ::: "memory"); assert(x==1); return 0; }
