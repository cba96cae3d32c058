// A handle that a function of the program makes of an address.
extern void reach_error(void);
static int number = 1;
struct opaque;
static void *same(void *pointer) { return pointer; }
void work(struct opaque *handle);
#ifdef WORST_CASE
void work(struct opaque *handle) { *(int *)handle = 2; }
#endif

int main(void) {
    struct opaque *handle = same(&number);
    work(handle);
    if (number != 1)
        reach_error();
    return 0;
}
