#include <assert.h>

struct node {
    struct node *next;
    int data;
};

struct node *t[10];
int main(int argc, char **argv) {
    if (argc >= 0 && argc < 10) {
        assert(t[argc] != 0);
    }
    return 0;
}
