#include <assert.h>
#include <string.h>

int main(void) {
    int a[3];
    a[0] = 1;
    a[1] = 2;
    a[2] = 3;
    memmove(&a[1], &a[0], 8);
    assert(a[2] == 3);
    return 0;
}
