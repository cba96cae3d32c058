// TRUE
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int n = 3, m = 2;
    typedef int row[m];
    typedef row *rows;
    row a[n];
    rows p = malloc(n * sizeof(row));
    if (!p) return 0;
    m = 9;
    for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) { a[i][j] = i; p[i][j] = j; }
    assert(sizeof(row) == 2 * sizeof(int) && sizeof a == 6 * sizeof(int));
    assert(a[n - 1][0] + p[0][1] == 3);
    free(p);
    return 0;
}
