// Unknown code finds an address in a global number.
extern void reach_error(void);
static int number = 1;
void work(void);
long words[2];
#ifdef WORST_CASE
void work(void) { *(int *)words[1] = 2; }
#endif

int main(void) {
    words[1] = (long)&number;
    work();
    if (number != 1)
        reach_error();
    return 0;
}
