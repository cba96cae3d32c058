#include <assert.h>

int main(void) {
    signed char c = -1;
    unsigned char *p = (unsigned char *)&c;
    assert(*p != 255);
    return 0;
}
