/* The size is narrowed to a byte between its computation and the call of the allocator. */
#include <stdlib.h>
struct table { int **slots; int size; };
static void *get(size_t bytes) {
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}
static void *get_few(unsigned char bytes) { return get(bytes); }
int main(void) {
    struct table t;
    t.size = 40;
    t.slots = get_few((unsigned char) (sizeof(int *) * 40));
    for (int i = 0; i < t.size; i++)
        t.slots[i] = NULL;
    free(t.slots);
    return 0;
}
