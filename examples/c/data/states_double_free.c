// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// A state machine that falls through from closing to failing, which frees the buffer again.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

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
            free(buffer);
            state = CLOSED;
            /* no break */
        case BROKEN:
            free(buffer);  // FAILS: double_free
            buffer = NULL;
            state = CLOSED;
            break;
        }
    }
    if (state == OPEN)
        free(buffer);
    return 0;
}
