// TRUE
#include <assert.h>
_Static_assert(sizeof(int)==4,"int"); static_assert(1,"x");
int main(void){ _Static_assert(1,"y"); return 0; }
