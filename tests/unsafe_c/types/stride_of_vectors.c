// Pointers to vectors and complex numbers were moved by one byte.
#include <assert.h>
typedef int vector __attribute__((vector_size(16)));
static int numbers[12];
int main(void) {
    vector *first = (vector *)numbers;
    _Complex double *pair = (_Complex double *)(numbers + 4);
    numbers[8] = 1;
    assert(*(int *)(first + 2) == 0 && *(int *)(pair + 1) == 0);
    return 0;
}
