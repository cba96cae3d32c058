// A pointer to a struct that only unknown code knows may still be one to an object of the program.
extern void reach_error(void);
struct handle;
static int number = 1;
void work(struct handle *handle);
#ifdef WORST_CASE
void work(struct handle *handle) { *(int *)handle = 2; }
#endif

int main(void) {
    struct handle *handle = (struct handle *)(void *)&number;
    work(handle);
    if (number != 1)
        reach_error();
    return 0;
}
