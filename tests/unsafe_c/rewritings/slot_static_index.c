#include <assert.h>

struct node {
    struct node *next;
    int data;
};

struct node *t[10];
int main(void) {
    static int k = 2;
    if (k >= 0 && k < 10)
        assert(t[k] != 0);
    return 0;
}
