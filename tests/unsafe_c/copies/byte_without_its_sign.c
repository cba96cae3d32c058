// A byte is written with a sign and read without one, where its place is known.
#include <assert.h>

int main(void) {
    char text[4] = "abc";
    signed char *p = (signed char *)text;
    int i = 1;
    p[i] = -1;
    unsigned char *q = (unsigned char *)text;
    unsigned char c = q[i];
    assert(c != 255);
    return 0;
}
