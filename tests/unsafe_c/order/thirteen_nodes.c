#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct item {
    int value;
    struct item *next;
};
static int more(int a, int b) {
    return a > b;
}
int main(void) {
    struct item *list = NULL;
    int rounds = __VERIFIER_nondet_int(), count = 0, limit = 12;
    while (rounds-- > 0) {
        struct item *n = malloc(sizeof *n);
        if (!n || count > 20)
            break;
        n->value = __VERIFIER_nondet_int();
        n->next = list;
        list = n;
        count++;
    }
    int many = more(count, limit);
    for (struct item *p = list; p && p->next; p = p->next)
        if (many)
            assert(p->value <= p->next->value);
    return 0;
}
