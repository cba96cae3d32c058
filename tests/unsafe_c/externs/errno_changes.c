// errno is changed by calls that do not name it.
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    errno = 0;
    void *block = malloc((size_t)-1 / 2);
    if (errno != 0)
        reach_error();
    free(block);
    return 0;
}
