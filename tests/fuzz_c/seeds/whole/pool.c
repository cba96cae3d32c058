#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
enum { N = 64 };
struct item { struct item *next; int value; };
static struct item items[N];
static struct item *spare;
int main(void) {
    struct item *held = 0;
    for (int i = 0; i < N - 1; i++) items[i].next = &items[i + 1];
    items[N - 1].next = 0;
    spare = &items[0];
    while (__VERIFIER_nondet_int()) {
        struct item *item = spare;
        if (item) { spare = item->next; item->next = held; item->value = 1; held = item; }
        if (__VERIFIER_nondet_int() && held) { item = held; held = item->next; item->next = spare; spare = item; }
    }
    return 0;
}
