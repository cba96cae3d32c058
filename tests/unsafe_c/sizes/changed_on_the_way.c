/* The number of elements changes after the size was computed with it, while memory is written. */
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
    int size = 16;
    size_t bytes = sizeof(int *) * size;
    t.size = size;
    size = size + 8;
    t.slots = get(bytes);
    for (int i = 0; i < size; i++)
        t.slots[i] = NULL;
    free(t.slots);
    return 0;
}
