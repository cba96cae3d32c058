// Unknown code keeps the address of a local variable; a call in a deeper activation of the same function writes it.
extern void reach_error(void);
void remember(int *number);
void work(void);
#ifdef WORST_CASE
static int *kept;
void remember(int *number) { kept = number; }
void work(void) { *kept = 5; }
#endif

static int deep(int depth) {
    int number = 0;
    if (depth > 0) {
        remember(&number);
        number = 0;
        deep(depth - 1);
    } else {
        work();
    }
    return number;
}

int main(void) {
    if (deep(1) != 0)
        reach_error();
    return 0;
}
