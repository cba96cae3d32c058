// Unknown code calls a function whose address it gets.
extern void reach_error(void);
static int called;
static void note(void) { called = 1; }
void each(void (*what)(void));
#ifdef WORST_CASE
void each(void (*what)(void)) { what(); }
#endif

int main(void) {
    each(note);
    if (called)
        reach_error();
    return 0;
}
