// Unknown code gets an address as the number in a union.
extern void reach_error(void);
static int number = 1;
union both {
    int *pointer;
    long address;
};
void work(long address);
#ifdef WORST_CASE
void work(long address) { *(int *)address = 2; }
#endif

int main(void) {
    union both both;
    both.pointer = &number;
    work(both.address);
    if (number != 1)
        reach_error();
    return 0;
}
