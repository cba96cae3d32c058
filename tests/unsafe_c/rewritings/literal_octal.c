#include <assert.h>

int main(void) {
    assert("\101z"[0] != 65);
    return 0;
}
