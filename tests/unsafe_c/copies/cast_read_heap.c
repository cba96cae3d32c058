#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = -1;
    unsigned *q = (unsigned *)p;
    unsigned v = *q;
    free(p);
    assert(v != 4294967295u);
    return 0;
}
