#include <assert.h>

int main(void) {
    int c = "é"[0];
    assert(c == 233 || c == -23);
    return 0;
}
