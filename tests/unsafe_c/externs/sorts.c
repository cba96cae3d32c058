// qsort calls the comparison, and moves elements.
#include <stdlib.h>
extern void reach_error(void);
static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    int numbers[3] = { 3, 1, 2 };
    int key = 2;
    qsort(numbers, 3, sizeof(int), compare);
    int *place = bsearch(&key, numbers, 3, sizeof(int), compare);
    if (numbers[0] == 1 && place == numbers + 1)
        reach_error();
    return 0;
}
