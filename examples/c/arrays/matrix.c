// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A matrix by rows: an array of pointers to arrays of numbers.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int **create(int rows, int columns) {
    int **matrix = malloc(rows * sizeof *matrix);
    if (!matrix)
        return NULL;
    for (int i = 0; i < rows; i++) {
        matrix[i] = calloc(columns, sizeof **matrix);
        if (!matrix[i]) {
            while (i-- > 0)
                free(matrix[i]);
            free(matrix);
            return NULL;
        }
    }
    return matrix;
}

int main(void) {
    int rows = __VERIFIER_nondet_int(), columns = __VERIFIER_nondet_int();
    if (rows <= 0 || columns <= 0 || rows > 1000 || columns > 1000)
        return 0;
    int **matrix = create(rows, columns);
    if (!matrix)
        return 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            matrix[i][j] = i + j;
    for (int i = 0; i < rows; i++)
        free(matrix[i]);
    free(matrix);
    return 0;
}
