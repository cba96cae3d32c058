// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two numbers exchanged by exclusive or, and a test for odd numbers by the last bit: every path is followed.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    int first;
    int second;
};

int main(void) {
    struct pair *pair = malloc(sizeof *pair);
    if (!pair)
        return 1;
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    pair->first = a;
    pair->second = b;
    pair->first ^= pair->second;
    pair->second ^= pair->first;
    pair->first ^= pair->second;
    assert(pair->first == b && pair->second == a);
    int odd = a & 1;
    assert(odd == (a % 2 != 0));
    free(pair);
    return 0;
}
