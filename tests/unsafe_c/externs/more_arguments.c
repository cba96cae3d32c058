// A function is called through a pointer of another type, with more arguments than it has.
extern void reach_error(void);
static int called;
static void two(int *a, int *b) { called = *a + *b; }
static void run(void (*f)(int *, int *, void *), int *a, int *b) { f(a, b, 0); }

int main(void) {
    int a = 3, b = 4;
    run((void (*)(int *, int *, void *))two, &a, &b);
    if (called == 7)
        reach_error();
    return 0;
}
