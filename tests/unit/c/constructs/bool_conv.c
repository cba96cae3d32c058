// TRUE
#include <stdbool.h>
#include <assert.h>
int main(void){ bool b=0.5; int x=256; _Bool c=x; int *p=&x; bool d=p; assert(b&&c&&d&&(bool)256==1); return 0; }
