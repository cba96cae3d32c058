#include <assert.h>

int main(void) {
    int *p = 0;
    int s = 0;
    for (int i = 0; i < 2; i++) {
        int x = i;
        if (i == 0)
            p = &s;
        else
            *p = x;
    }
    assert(s == 0);
    return 0;
}
