#include <assert.h>

struct node {
    struct node *next;
    int data;
};

int i = 3;
struct node *t[10];
int main(void) {
    int j = i;
    if (j >= 0 && j < 10) {
        assert(t[j] != 0);
    }
    return 0;
}
