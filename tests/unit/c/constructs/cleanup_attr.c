// UNKNOWN: cleanup attribute
#include <stdlib.h>
static void free_it(void *p){ free(*(void**)p); }
int main(void){ __attribute__((cleanup(free_it))) char *p = malloc(3); return p!=0; }
