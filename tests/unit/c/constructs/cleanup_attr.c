// TRUE
#include <assert.h>
#include <stdlib.h>
static int order;
static void free_it(void *p){ free(*(void**)p); }
static void note(int *x){ order = order * 10 + *x; }
static int value(void){ __attribute__((cleanup(free_it))) char *p = malloc(3); if(!p) return 7; *p = 7; return *p; }
int main(void){
  assert(value() == 7);
  { __attribute__((cleanup(note))) int a = 1; __attribute__((cleanup(note))) int b = 2; if(order == 0) goto out; }
out:
  assert(order == 21);
  for(int i = 0; i < 3; i++){ __attribute__((cleanup(free_it))) char *p = malloc(3); if(i == 0) continue; if(i == 1) break; }
  int k = 0;
again:;
  __attribute__((cleanup(free_it))) char *q = malloc(2);
  if(k++ < 2) goto again;
  return 0;
}
