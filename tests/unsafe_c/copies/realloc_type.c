#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(2 * sizeof(int));
    if (!p)
        return 0;
    p[0] = -1;
    p[1] = -1;
    unsigned *q = realloc(p, 4 * sizeof(int));
    if (!q) {
        free(p);
        return 0;
    }
    unsigned v = q[0];
    free(q);
    assert(v != 4294967295u);
    return 0;
}
