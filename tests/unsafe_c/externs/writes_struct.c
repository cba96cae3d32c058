// Unknown code writes a member of a local struct of numbers.
extern void reach_error(void);
struct pair { int first; short second[2]; };
void fill(struct pair *pair);
#ifdef WORST_CASE
void fill(struct pair *pair) { pair->second[1] = 3; }
#endif

int main(void) {
    struct pair pair = { 1, { 2, 2 } };
    fill(&pair);
    if (pair.second[1] != 2)
        reach_error();
    return 0;
}
