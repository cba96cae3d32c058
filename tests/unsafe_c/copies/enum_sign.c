#include <assert.h>
#include <string.h>

enum e { A, B };
int main(void) {
    enum e x;
    int i = -1;
    memcpy(&x, &i, sizeof x);
    assert((long)x < 0);
    return 0;
}
