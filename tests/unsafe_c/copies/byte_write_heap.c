#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *i = malloc(4);
    if (!i)
        return 0;
    *i = 0;
    char *p = (char *)i;
    p[2] = 1;
    int v = *i;
    free(i);
    assert(v == 0);
    return 0;
}
