/* A number that begins with 0 grows beyond a bound that no constant before the loop has. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = 0, *block = malloc(sizeof *block);
    if (!block)
        abort();
    while (__VERIFIER_nondet_int() > 1)
        n++;
    if (n > 2) {
        free(block);
        block = NULL;
    }
    *block = n;
    free(block);
    return 0;
}
