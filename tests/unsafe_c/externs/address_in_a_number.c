// Unknown code gets the address of a number that is an address.
extern void reach_error(void);
static int number = 1;
void work(long *word);
#ifdef WORST_CASE
void work(long *word) { *(int *)*word = 2; }
#endif

int main(void) {
    long address = (long)&number;
    work(&address);
    if (number != 1)
        reach_error();
    return 0;
}
