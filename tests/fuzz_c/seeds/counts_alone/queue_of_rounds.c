// A queue with a length: a loop with a constant number of rounds fills it, and it is emptied as often as its length says.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *head = NULL, *tail = NULL;
    int count = 0;
    for (int i = 0; i < 40; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            break;
        n->value = i;
        n->next = NULL;
        if (count == 0)
            head = n;
        else
            tail->next = n;
        tail = n;
        count++;
    }
    while (count > 0) {
        struct node *n = head;
        head = n->next;
        free(n);
        count--;
    }
    return 0;
}
