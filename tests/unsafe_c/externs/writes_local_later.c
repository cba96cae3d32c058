// Unknown code keeps the address of a local variable; another call writes it.
extern void reach_error(void);
void remember(int *number);
void work(void);
#ifdef WORST_CASE
static int *kept;
void remember(int *number) { kept = number; }
void work(void) { *kept = 5; }
#endif

int main(void) {
    int number = 0;
    remember(&number);
    number = 0;
    work();
    if (number != 0)
        reach_error();
    return 0;
}
