// Unknown code is called through a pointer.
extern void reach_error(void);
void change(int *number);
static void (*table[1])(int *) = { change };
#ifdef WORST_CASE
void change(int *number) { *number = 4; }
#endif

int main(void) {
    int number = 0;
    table[0](&number);
    if (number)
        reach_error();
    return 0;
}
