// errno is 0 at the start, and an allocation that succeeds does not change it.
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    void *block = malloc(4);
    if (errno == 0)
        reach_error();
    free(block);
    return 0;
}
