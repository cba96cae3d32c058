#include <assert.h>
#include <string.h>

int main(void) {
    float f = 1.0f;
    int v = 0;
    memcpy(&v, &f, sizeof v);
    assert(v == 1 || v == 0);
    return 0;
}
