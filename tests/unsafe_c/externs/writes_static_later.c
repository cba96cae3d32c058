// Unknown code keeps the address of a static variable; a call in a function that nothing connects with it writes it.
extern void reach_error(void);
void remember(int *number);
void work(void);
#ifdef WORST_CASE
static int *kept;
void remember(int *number) { kept = number; }
void work(void) { *kept = 5; }
#endif

static int number;

static void give(void) {
    remember(&number);
}

static void use(void) {
    work();
}

int main(void) {
    give();
    number = 0;
    use();
    if (number != 0)
        reach_error();
    return 0;
}
