// Unknown code returns the same pointer twice, or NULL.
#include <stddef.h>
extern void reach_error(void);
struct handle;
struct handle *get(int);
#ifdef WORST_CASE
extern int __VERIFIER_nondet_int(void);
struct handle *get(int n) { static char one[1]; return (struct handle *)one; }
#endif

int main(void) {
    struct handle *first = get(1), *second = get(2);
    if (first == second && first != NULL)
        reach_error();
    return 0;
}
