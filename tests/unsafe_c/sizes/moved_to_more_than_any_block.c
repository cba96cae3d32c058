// The same for a block that is to grow: both outcomes of the test were unreachable.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int made = 0;
    char *block = malloc(4);
    char *more = realloc(block, (size_t)-1 / 2);
    if (more)
        made = 1;
    else
        made = 2;
    if (made)
        reach_error();
    free(more);
    return 0;
}
