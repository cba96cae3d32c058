// Unknown code changes a global number that is not static.
extern void reach_error(void);
int limit = 3;
void work(void);
#ifdef WORST_CASE
void work(void) { limit = 9; }
#endif

int main(void) {
    work();
    if (limit != 3)
        reach_error();
    return 0;
}
