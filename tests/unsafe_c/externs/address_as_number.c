// Unknown code gets an address as a number.
#include <stdint.h>
extern void reach_error(void);
static int number = 1;
void work(uintptr_t address);
#ifdef WORST_CASE
void work(uintptr_t address) { *(int *)address = 2; }
#endif

int main(void) {
    uintptr_t address = (uintptr_t)&number;
    work(address);
    if (number != 1)
        reach_error();
    return 0;
}
