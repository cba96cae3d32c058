// UNKNOWN: the variable main.t
#include <assert.h>
int main(void){ static const int t[]={&&a-&&a,&&b-&&a}; int i=1; goto *(&&a+t[i]); a: i=0; b: assert(i==1); return 0; }
