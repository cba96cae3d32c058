// Unknown code changes an element of a large global array that is not static.
extern void reach_error(void);
int table[300];
void work(int);
#ifdef WORST_CASE
void work(int n) { table[n] = 9; }
#endif

int main(void) {
    work(200);
    if (table[200] == 9)
        reach_error();
    return 0;
}
