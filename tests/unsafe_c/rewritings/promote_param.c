#include <assert.h>

static void set(unsigned *p) {
    *p = 4294967295u;
}
int main(void) {
    int a = 0;
    set((unsigned *)&a);
    assert(a != -1);
    return 0;
}
