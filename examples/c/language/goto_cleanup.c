// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Three resources, released in the opposite order with goto, as in the Linux kernel.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int work(void) {
    int result = -1;
    char *a = malloc(16);
    if (!a)
        goto out;
    char *b = malloc(32);
    if (!b)
        goto free_a;
    char *c = malloc(64);
    if (!c)
        goto free_b;
    if (__VERIFIER_nondet_int())
        goto free_c;
    result = 0;
free_c:
    free(c);
free_b:
    free(b);
free_a:
    free(a);
out:
    return result;
}

int main(void) {
    return work() == 0 ? 0 : 1;
}
