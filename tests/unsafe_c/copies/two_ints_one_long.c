#include <assert.h>
#include <string.h>

int main(void) {
    int a[2];
    a[0] = 1;
    a[1] = 1;
    long l;
    memcpy(&l, a, sizeof l);
    assert(l == 1);
    return 0;
}
