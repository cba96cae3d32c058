// TRUE
#include <assert.h>
int f(int c){ switch(c){ case '0' ... '9': return 1; case -5 ... -1: return 2; default: return 0; } }
int main(void){ assert(f('5')==1&&f(-3)==2&&f(100)==0); return 0; }
