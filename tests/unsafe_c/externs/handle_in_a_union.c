// A handle that a union makes of an address.
extern void reach_error(void);
static int number = 1;
union both {
    struct opaque *handle;
    int *pointer;
};
void work(struct opaque *handle);
#ifdef WORST_CASE
void work(struct opaque *handle) { *(int *)handle = 2; }
#endif

int main(void) {
    union both both;
    both.pointer = &number;
    work(both.handle);
    if (number != 1)
        reach_error();
    return 0;
}
