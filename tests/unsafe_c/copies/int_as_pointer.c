#include <assert.h>
#include <string.h>

int main(void) {
    long v = 0;
    int *p = (int *)&v;
    int y = 1;
    p = &y;
    memcpy(&p, &v, sizeof v);
    assert(p != 0);
    return 0;
}
