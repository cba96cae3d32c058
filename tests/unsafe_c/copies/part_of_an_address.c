// A part of an address is no address: it was taken for the whole one.
#include <stdint.h>

int main(void) {
    int x = 0;
    int *p = (int *)(intptr_t)(short)(intptr_t)&x;
    *p = 1;
    return x;
}
