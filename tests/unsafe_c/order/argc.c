#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(int argc, char **argv) {
    int b = __VERIFIER_nondet_int();
    if (argc > b) {
    }
    assert(argc >= b);
    return 0;
}
