#include <assert.h>

int main(void) {
    int a = 256;
    char *p = (char *)&a;
    assert(*p == 256 || p[1] == 0);
    return 0;
}
