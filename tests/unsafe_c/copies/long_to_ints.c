#include <assert.h>
#include <string.h>

int main(void) {
    long l = 1;
    int a[2];
    a[0] = 7;
    a[1] = 7;
    memcpy(a, &l, sizeof l);
    assert(a[1] == 1 || a[1] == 7);
    return 0;
}
