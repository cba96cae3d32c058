// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// One of the jumps to the cleanup has the wrong label.
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
    if (__VERIFIER_nondet_int())
        goto free_a;
    result = 0;
    free(b);
free_a:
    free(a);
out:
    return result;  // FAILS: memory_leak
}

int main(void) {
    return work() == 0 ? 0 : 1;
}
