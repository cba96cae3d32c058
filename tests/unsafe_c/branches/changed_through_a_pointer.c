/* A number that is set to 1 is set to 0 through its address before it is tested. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void clear(int *number) {
    if (__VERIFIER_nondet_int() == 7)
        *number = 0;
}
int main(void) {
    int count = 1;
    int *other = __VERIFIER_nondet_int() > 2 ? &count : malloc(sizeof *other);
    if (!other)
        return 0;
    *other = 1;
    clear(other);
    int *block = count == 0 ? NULL : malloc(sizeof *block);
    if (!block && count != 0)
        abort();
    *block = 1;
    free(block);
    if (other != &count)
        free(other);
    return 0;
}
