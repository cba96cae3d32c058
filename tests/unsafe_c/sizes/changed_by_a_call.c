/* The size is that of a global number, which a function changes before the allocation. */
#include <stdlib.h>
struct table { int **slots; int size; };
static int size = 8;
static void *get(size_t bytes) {
    size = size + 1;
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}
int main(void) {
    struct table t;
    t.slots = get(sizeof(int *) * size);
    for (int i = 0; i < size; i++)
        t.slots[i] = NULL;
    free(t.slots);
    return 0;
}
