// No block is as large: what is behind the test of its address is reached all the same, also where malloc never fails.
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    size_t n = (size_t)-1 / 2;
    int made = 0;
    if (__VERIFIER_nondet_int())
        n = n - 1;
    char *block = malloc(n);
    if (block)
        made = 1;
    reach_error();
    free(block);
    return made;
}
