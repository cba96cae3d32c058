#include <assert.h>
#include <string.h>

int main(void) {
    unsigned char u = 200;
    char c;
    memcpy(&c, &u, 1);
    assert(c == 200 || c >= 0);
    return 0;
}
