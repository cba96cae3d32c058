#include <assert.h>

int main(void) {
    int i = -1;
    int *p = &i;
    unsigned **q = (unsigned **)&p;
    assert(**q != 4294967295u);
    return 0;
}
