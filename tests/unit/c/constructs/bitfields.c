// TRUE
#include <assert.h>
struct f{unsigned a:3; int b:5; unsigned :0; unsigned c:1; _Bool d:1;};
int main(void){ struct f f={0}; f.a=9; f.b=-1; f.c=1; f.d=4; assert(f.a==1&&f.b==-1&&f.c==1&&f.d==1); f.a++; assert(f.a==2); return 0; }
