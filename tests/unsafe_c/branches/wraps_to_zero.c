/* The product of the size and the number of elements is 0 in the 8 bits that it is kept in. */
#include <stdlib.h>
struct node { struct node *next; long value; };
static void *get(unsigned char size) {
    if (size == 0)
        return NULL;
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}
int main(void) {
    int count = 16, each = sizeof(struct node);
    struct node *made = get(count * each);
    made->next = NULL;
    free(made);
    return 0;
}
