// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// An array of numbers with its length in front of it: a flexible array member.
#include <stdlib.h>

struct numbers {
    int count;
    int values[];
};

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 0 || count > 1000)
        return 0;
    struct numbers *numbers = malloc(sizeof *numbers + count * sizeof(int));
    if (!numbers)
        return 1;
    numbers->count = count;
    for (int i = 0; i < numbers->count; i++)
        numbers->values[i] = i;
    int sum = 0;
    for (int i = 0; i < numbers->count; i++)
        sum += numbers->values[i];
    free(numbers);
    return sum > 0;
}
