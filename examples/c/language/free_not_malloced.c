// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees a pointer that was moved since malloc.
#include <stdlib.h>

int main(void) {
    int *numbers = malloc(4 * sizeof *numbers);
    if (!numbers)
        return 0;
    for (int i = 0; i < 4; i++)
        *numbers++ = i;
    free(numbers);  // FAILS: invalid_free
    return 0;
}
