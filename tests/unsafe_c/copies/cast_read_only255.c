#include <assert.h>
#include <stdlib.h>

int main(void) {
    signed char *p = malloc(1);
    if (!p)
        return 0;
    int z = 3;
    *p = (signed char)(z - 4);
    unsigned char *q = (unsigned char *)p;
    unsigned char v = *q;
    free(p);
    assert(v != 255);
    return 0;
}
