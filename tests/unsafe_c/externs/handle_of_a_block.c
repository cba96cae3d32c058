// A handle that is a block of the program.
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
static int number = 1;
struct opaque;
void work(struct opaque *handle);
#ifdef WORST_CASE
void work(struct opaque *handle) { *(int *)handle = 2; }
#endif

int main(void) {
    struct opaque *handle = malloc(sizeof(int));
    if (!handle)
        return 0;
    memset(handle, 0, sizeof(int));
    work(handle);
    number = memcmp(handle, "\0\0\0", sizeof(int)) == 0;
    free(handle);
    if (number != 1)
        reach_error();
    return 0;
}
