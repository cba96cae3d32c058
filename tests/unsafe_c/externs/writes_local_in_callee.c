// Unknown code keeps the address of a local variable; a call in another function writes it.
extern void reach_error(void);
void remember(int *number);
int work(int);
#ifdef WORST_CASE
static int *kept;
void remember(int *number) { kept = number; }
int work(int n) { *kept = n; return n; }
#endif

static int helper(int n) {
    return work(n);
}

int main(void) {
    int number = 0;
    remember(&number);
    number = 0;
    helper(4);
    if (number != 0)
        reach_error();
    return 0;
}
