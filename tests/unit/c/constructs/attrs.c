// TRUE
#include <stdlib.h>
#define __must_check __attribute__((warn_unused_result))
static inline __attribute__((always_inline, nonnull(1))) int f(int *p){ return *p; }
__must_check __attribute__((malloc)) static void *get(void){ return malloc(4); }
__attribute__((cold,noinline)) static void g(void){}
static int unused __attribute__((unused, aligned(16)));
int main(void){ int *p=get(); if(!p) return 1; *p=1; int r=f(p); g(); free(p); return r-1; }
