#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(2 * sizeof(int));
    if (!p)
        return 0;
    p[0] = 1;
    p[1] = 1;
    long *q = realloc(p, 16);
    if (!q) {
        free(p);
        return 0;
    }
    long v = q[0];
    free(q);
    assert(v == 1);
    return 0;
}
