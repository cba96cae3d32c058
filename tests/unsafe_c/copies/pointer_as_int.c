#include <assert.h>
#include <string.h>

int main(void) {
    int x;
    int *p = &x;
    long v;
    memcpy(&v, &p, sizeof v);
    assert(v == 0);
    return 0;
}
