#include <assert.h>

struct node {
    struct node *next;
    int data;
};

struct node *t[10];
int main(void) {
    int i = -1;
    i = i + 1;
    assert(t[i] != 0);
    return 0;
}
