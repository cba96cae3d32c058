/* The size of a table wraps in the 16 bits of its allocator's parameter: the block has fewer elements than the loop writes. */
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void *get(uint16_t bytes) {
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}
int main(void) {
    int size = 8200;
    int **table = get(sizeof(int *) * size);
    for (int i = 0; i < size; i++)
        table[i] = NULL;
    free(table);
    return 0;
}
