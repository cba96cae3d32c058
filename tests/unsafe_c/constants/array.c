#include <string.h>
const int fixed[3] = {1,2,3};
int main(void) { int *p = (int *)fixed; p[1] = 4; return 0; }
