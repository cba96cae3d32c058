// The owner of the first account is another person: going there and back does not lead to the same object.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct account;
struct person {
    struct person *next;
    struct account *account;
};
struct account {
    struct person *holder;
    int balance;
};
int main(void) {
    struct person *people = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct person *p = malloc(sizeof *p);
        struct account *a = malloc(sizeof *a);
        if (!p || !a)
            exit(0);
        a->balance = 0;
        a->holder = people && !people->next ? people : p;
        p->account = a;
        p->next = people;
        people = p;
    }
    for (struct person *p = people; p; p = p->next)
        assert(p->account->holder == p);
    return 0;
}
