#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { int v; };
static struct job *slots[10];
int main(void) {
    int n = 0, i;
    while (__VERIFIER_nondet_int()) {
        struct job *x = malloc(sizeof *x);
        if (!x) break;
        x->v = n;
        i = __VERIFIER_nondet_int();
        if (i >= 0 && i < 10) {
            if (slots[i]) free(slots[i]);
            slots[i] = x;
        } else
            free(x);
    }
    for (i = 0; i < 10; i++) {
        free(slots[i]);
        slots[i] = NULL;
    }
    return 0;
}
