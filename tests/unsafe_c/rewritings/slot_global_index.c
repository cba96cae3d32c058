#include <assert.h>

struct node {
    struct node *next;
    int data;
};

int i;
struct node *t[10];
int main(void) {
    if (i >= 0 && i < 10) {
        assert(t[i] != 0);
    }
    return 0;
}
