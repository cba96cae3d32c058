// Unknown code gets an address that is read as a number, by way of void *.
extern void reach_error(void);
static int number = 1;
void work(long address);
#ifdef WORST_CASE
void work(long address) { *(int *)address = 2; }
#endif

int main(void) {
    int *pointer = &number;
    void *any = &pointer;
    long *word = any;
    work(*word);
    if (number != 1)
        reach_error();
    return 0;
}
