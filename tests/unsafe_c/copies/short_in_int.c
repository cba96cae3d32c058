#include <assert.h>

int main(void) {
    int i = 65536;
    short *p = (short *)&i;
    assert(p[1] == 0);
    return 0;
}
