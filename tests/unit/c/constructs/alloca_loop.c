// TRUE
#include <alloca.h>
#include <string.h>
int main(int argc,char**argv){ for(int i=0;i<3;i++){ char *p=alloca(4); memset(p,0,4);} return 0; }
