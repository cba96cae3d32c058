extern int __VERIFIER_nondet_int(void);
static int *escape(int value) {
    int local = value, *p = &local;
    return p;
}
int main(void) {
    int *p = 0, total = 0;
    for (int i = 0; i < 2; i++) {
        int inner = i;
        if (i == 1 && __VERIFIER_nondet_int())
            total += *p; // FAILS: dangling_dereference
        p = &inner;
    }
    if (__VERIFIER_nondet_int() < 0)
        return *p; // FAILS: dangling_dereference
    p = escape(3);
    return __VERIFIER_nondet_int() ? *p : total; // FAILS: dangling_dereference
}
