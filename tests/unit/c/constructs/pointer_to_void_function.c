// UNKNOWN: call through a pointer to no known function
#include <stdlib.h>
static void drop(void *p) { free(p); }
typedef int (*use)(void *);
int main(void) { use u = rand() ? (use)drop : (use)0; return u ? u(NULL) : 0; }
