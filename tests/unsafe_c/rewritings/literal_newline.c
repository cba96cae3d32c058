#include <assert.h>

int main(void) {
    assert("\n\t"[1] != 9);
    return 0;
}
