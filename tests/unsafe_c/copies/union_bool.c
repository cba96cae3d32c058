#include <assert.h>
#include <stdbool.h>

union u {
    unsigned char c;
    bool b;
};
int main(void) {
    union u x;
    x.b = 1;
    assert(x.c == 0);
    return 0;
}
