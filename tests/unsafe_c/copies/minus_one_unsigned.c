#include <assert.h>
#include <string.h>

int main(void) {
    int i = -1;
    unsigned u;
    memcpy(&u, &i, sizeof u);
    assert(u != 4294967295u);
    return 0;
}
