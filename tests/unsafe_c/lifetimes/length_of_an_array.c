/* The array has one element less than the loop writes. */
extern int __VERIFIER_nondet_int(void);
static int fill(int n) {
    char text[n];
    for (int i = 0; i <= n; i++)
        text[i] = 1;
    return text[0];
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    return fill(n);
}
