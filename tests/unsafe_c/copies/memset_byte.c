#include <assert.h>
#include <string.h>

int main(void) {
    int i = 0;
    memset(&i, 1, 4);
    assert(i == 1 || i == 0);
    return 0;
}
