// FALSE: memory_leak
#include <setjmp.h>
#include <stdlib.h>
struct context { jmp_buf env; int code; };
static void fail(struct context *c, int code) { c->code = code; longjmp(c->env, code); }
static void work(struct context *c) { int *p = malloc(sizeof *p); if (p) fail(c, 2); free(p); }
int main(void) { struct context c; if (setjmp(c.env) == 0) work(&c); return 0; }
