// Unknown code writes a local variable whose address it gets.
extern void reach_error(void);
int ask(int *answer);
#ifdef WORST_CASE
int ask(int *answer) { *answer = 5; return 0; }
#endif

int main(void) {
    int answer = 0;
    ask(&answer);
    if (answer != 0)
        reach_error();
    return 0;
}
