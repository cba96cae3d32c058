// Unknown code returns any number of its type, negative ones too.
extern void reach_error(void);
int count(int);
#ifdef WORST_CASE
int count(int n) { return -n - 1; }
#endif

int main(void) {
    if (count(3) < 0)
        reach_error();
    return 0;
}
