// What the programs of this folder ask from outside: numbers come from INPUTS, and the error is an end by a signal.
#include <stdlib.h>

int __VERIFIER_nondet_int(void) {
    static char *rest;
    if (!rest)
        rest = getenv("INPUTS");
    return rest ? (int)strtol(rest, &rest, 10) : 0;
}

void reach_error(void) {
    abort();
}
