// TRUE
#include <assert.h>
enum f{A=1<<0,B=1<<1,C=A|B,D=-1}; 
int main(void){ enum f x=A; x|=B; assert(x==C&&(x&~A)==B); return 0; }
