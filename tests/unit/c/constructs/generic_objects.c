// TRUE
#include <assert.h>
#include <stdlib.h>
struct a { int x; }; struct b { struct b *n; };
static int of_a(struct a *p){ return p->x; }
static void of_b(struct b *p){ while(p){ struct b *q=p->n; free(p); p=q; } }
#define DO(x) _Generic((x), struct a *: of_a, struct b *: of_b)(x)
int main(void){
  struct a v={3}; assert(DO(&v)==3);
  struct b *l=malloc(sizeof *l); if(!l) return 0; l->n=0; DO(l);
  long big=2; int small=1; _Generic(small, int: small, long: big)=5; assert(small==5);
  return 0;
}
