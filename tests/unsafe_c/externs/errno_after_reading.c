// errno is changed by functions of the system that fail, and stays 0 where none does.
#include <errno.h>
#include <unistd.h>
extern void reach_error(void);

int main(void) {
    char byte;
    errno = 0;
    if (read(-1, &byte, 1) < 0 && errno != 0)
        reach_error();
    return 0;
}
