// People with accounts that know their holders: two types that are linked with each other, each with its own shape class.
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
    while (__VERIFIER_nondet_int()) {
        struct person *p = malloc(sizeof *p);
        if (!p)
            abort();
        struct account *a = malloc(sizeof *a);
        if (!a)
            abort();
        a->balance = 0;
        a->holder = p;
        p->account = a;
        p->next = people;
        people = p;
    }
    for (struct person *p = people; p; p = p->next) {
        assert(p->account->holder == p);
        p->account->balance = 1;
    }
    return 0;
}
