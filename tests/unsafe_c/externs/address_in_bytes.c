// Unknown code gets an address as bytes.
#include <string.h>
extern void reach_error(void);
static int number = 1;
void work(char *bytes);
#ifdef WORST_CASE
void work(char *bytes) {
    int *pointer;
    memcpy(&pointer, bytes, sizeof pointer);
    *pointer = 2;
}
#endif

int main(void) {
    int *pointer = &number;
    char bytes[sizeof pointer];
    memcpy(bytes, &pointer, sizeof bytes);
    work(bytes);
    if (number != 1)
        reach_error();
    return 0;
}
