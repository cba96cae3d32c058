#include <assert.h>

int main(void) {
    int i = 0;
    char *p = (char *)&i;
    p[1] = 1;
    assert(i == 0);
    return 0;
}
