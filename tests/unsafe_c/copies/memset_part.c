#include <assert.h>
#include <string.h>

int main(void) {
    int i = 257;
    memset(&i, 0, 1);
    assert(i == 257 || i == 0);
    return 0;
}
