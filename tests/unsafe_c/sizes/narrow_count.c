/* Any number of elements: its product with the size of one wraps in 32 bits. */
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void *get(uint32_t bytes) {
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}
int main(void) {
    unsigned size = __VERIFIER_nondet_int() == 7 ? 0x20000001u : 1u;
    int **table = get(sizeof(int *) * size);
    for (unsigned i = 0; i < size && i < 3; i++)
        table[i] = NULL;
    free(table);
    return 0;
}
