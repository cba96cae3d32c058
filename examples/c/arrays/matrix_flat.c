// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A matrix of any size in one block: the element in row i and column j is at i * width + j.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int height = __VERIFIER_nondet_int(), width = __VERIFIER_nondet_int();
    if (height <= 0 || width <= 0 || height > 1000 || width > 1000)
        return 0;
    int *matrix = malloc(height * width * sizeof *matrix);
    if (!matrix)
        return 1;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            matrix[i * width + j] = i + j;
    int sum = 0;
    for (int i = 0; i < height; i++)
        sum += matrix[i * width];
    free(matrix);
    return sum > 0;
}
