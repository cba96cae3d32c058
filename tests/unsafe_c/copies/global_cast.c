#include <assert.h>

int g = -1;
int main(void) {
    unsigned *p = (unsigned *)&g;
    assert(*p != 4294967295u);
    return 0;
}
