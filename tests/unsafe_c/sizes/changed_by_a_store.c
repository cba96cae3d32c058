/* The number of elements changes through its address after the size was computed with it. */
#include <stdlib.h>
struct table { int **slots; int size; };
static void *get(size_t bytes) {
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}
static void *make(int *count, struct table *t) {
    size_t bytes = sizeof(int *) * *count;
    *count = *count + 4;
    t->size = *count;
    return get(bytes);
}
int main(void) {
    struct table t;
    int size = 16;
    t.slots = make(&size, &t);
    for (int i = 0; i < size; i++)
        t.slots[i] = NULL;
    free(t.slots);
    return 0;
}
