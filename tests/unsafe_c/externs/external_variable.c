// A variable that is declared and not defined has any value.
extern void reach_error(void);
extern int setting;
#ifdef WORST_CASE
int setting = 12;
#endif

int main(void) {
    if (setting == 12)
        reach_error();
    return 0;
}
