// The low byte of an address may be 0, though the address is not: the comparison was decided by the address.
#include <assert.h>
#include <stdint.h>

int main(void) {
    _Alignas(256) char block[256];
    char *p = block;
    *p = 0;
    assert((unsigned char)(uintptr_t)p != 0);
    return block[0];
}
