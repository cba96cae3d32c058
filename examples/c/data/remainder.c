// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=FALSE
// A test for odd numbers that forgets how C divides: the remainder of a negative number is negative.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int is_odd(int number) {
    return number % 2 == 1;
}

int main(void) {
    int number = __VERIFIER_nondet_int();
    int odd = is_odd(number);
    int even = number % 2 == 0;
    assert(odd || even);  // FAILS: assertion
    return 0;
}
