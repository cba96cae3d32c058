#include <assert.h>
#include <string.h>

int main(void) {
    unsigned u = 4294967295u;
    long l = 0;
    memcpy(&l, &u, 4);
    assert(l == -1 || l == 0);
    return 0;
}
