// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// When realloc fails, the old block is still there, and this program has lost it.
#include <stdlib.h>

int main(void) {
    char *buffer = malloc(8);
    if (!buffer)
        return 0;
    buffer = realloc(buffer, 16);  // FAILS: memory_leak
    free(buffer);
    return 0;
}
