#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
struct node *held;
static void lose(void) {
    struct node *p = malloc(sizeof *p);
    p->next = malloc(sizeof *p);
    p->next->next = p;
    return; // FAILS: memory_leak lost
}
int main(void) {
    struct node *p = malloc(sizeof *p);
    switch (__VERIFIER_nondet_int()) {
    case 0:
        p = NULL; // FAILS: memory_leak lost
        break;
    case 1:
        held = p;
        exit(0); // FAILS: memory_leak exit
    case 2:
        exit(1); // FAILS: memory_leak exit
    case 3:
        free(p);
        lose();
        break;
    case 4:
        abort();
    default:
        free(p);
    }
    return 0;
}
