/* The size is computed before a loop that doubles the number of elements and stores it. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct table { int **slots; int size; };
static void *get(size_t bytes) {
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}
int main(void) {
    struct table t;
    int size = 4;
    size_t bytes = sizeof(int *) * size;
    while (size < 32 && __VERIFIER_nondet_int()) {
        t.size = size;
        size = size * 2;
    }
    t.slots = get(bytes);
    for (int i = 0; i < size; i++)
        t.slots[i] = NULL;
    free(t.slots);
    return 0;
}
