/* A global number that is 1 at first is 0 behind a function that calls itself. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int count = 1;
static void down(int n) {
    if (n > 0 && n < 9) {
        down(n - 1);
        count = n - n;
    }
}
int main(void) {
    count = 1;
    down(__VERIFIER_nondet_int());
    int *block = malloc(sizeof *block);
    if (!block)
        abort();
    if (count == 0) {
        free(block);
        block = NULL;
    }
    *block = 1;
    free(block);
    return 0;
}
