// Unknown code changes an element of a global array, and a member of a global struct, that are not static.
extern void reach_error(void);
int table[3] = { 1, 2, 3 };
struct { int first; short second; } pair = { 1, 2 };
void work(void);
#ifdef WORST_CASE
void work(void) { table[2] = 9; pair.second = 7; }
#endif

int main(void) {
    work();
    if (table[2] != 3 && pair.second != 2)
        reach_error();
    return 0;
}
