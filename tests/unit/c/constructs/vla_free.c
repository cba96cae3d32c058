// FALSE: invalid_free
#include <stdlib.h>
int main(void){ int n=4; char a[n]; free(a); return 0; }
