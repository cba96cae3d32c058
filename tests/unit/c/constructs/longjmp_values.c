// TRUE
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf e;
struct big { int a[4]; };
static struct big make(void) { longjmp(e, 0); }
static double real(void) { longjmp(e, 2); }
static char *text(void) { longjmp(e, 4); }
int main(void) {
    volatile struct big b = {{1, 2, 3, 4}};
    volatile double d = 1.5;
    char *volatile t = "x";
    switch (setjmp(e)) {
    case 0: b = make(); *(int *)0 = 1;
    case 1: if (b.a[3] != 4) *(int *)0 = 1; d = real();
    case 2: if (d != 1.5) *(int *)0 = 1; { int x[2]; x[0] = 1; t = text(); }
    case 4: if (*t != 'x') *(int *)0 = 1; break;
    default: *(int *)0 = 1;
    }
    return 0;
}
