// FALSE: double_free
#include <stdlib.h>
static void free_it(void *p){ free(*(void**)p); }
int main(void){ __attribute__((cleanup(free_it))) char *p = malloc(3); if(!p) return 1; free(p); return 0; }
