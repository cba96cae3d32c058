#include <assert.h>

int main(void) {
    int i = -1;
    unsigned *p = (unsigned *)&i;
    assert(*p != 4294967295u);
    return 0;
}
