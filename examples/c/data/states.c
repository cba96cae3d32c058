// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A state machine with an enumeration and a switch; the block lives exactly while the connection is open.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum state { CLOSED, OPEN, BROKEN };

int main(void) {
    enum state state = CLOSED;
    char *buffer = NULL;
    while (__VERIFIER_nondet_int()) {
        switch (state) {
        case CLOSED:
            buffer = malloc(64);
            state = buffer ? OPEN : BROKEN;
            break;
        case OPEN:
            if (__VERIFIER_nondet_int()) {
                free(buffer);
                buffer = NULL;
                state = CLOSED;
            }
            break;
        case BROKEN:
            if (buffer)
                reach_error();
            state = CLOSED;
            break;
        default:
            reach_error();
        }
    }
    if (state == OPEN)
        free(buffer);
    return 0;
}
