#include <assert.h>
#include <string.h>

int main(void) {
    char a[8];
    a[0] = 1;
    a[1] = 2;
    a[2] = 3;
    a[3] = 4;
    int v;
    memcpy(&v, a, 4);
    assert(v == 1);
    return 0;
}
