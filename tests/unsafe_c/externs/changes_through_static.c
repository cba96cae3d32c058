// Unknown code reaches a static variable through a member of an argument.
extern void reach_error(void);
struct box { int *number; };
static int hidden = 1;
void work(struct box *box);
#ifdef WORST_CASE
void work(struct box *box) { *box->number = 2; }
#endif

int main(void) {
    struct box box = { &hidden };
    work(&box);
    if (hidden != 1)
        reach_error();
    return 0;
}
