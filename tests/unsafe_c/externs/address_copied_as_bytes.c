// Unknown code gets an address as a number, to which its bytes were copied.
#include <string.h>
extern void reach_error(void);
static int number = 1;
void work(long address);
#ifdef WORST_CASE
void work(long address) { *(int *)address = 2; }
#endif

int main(void) {
    int *pointer = &number;
    long address;
    memcpy(&address, &pointer, sizeof address);
    work(address);
    if (number != 1)
        reach_error();
    return 0;
}
