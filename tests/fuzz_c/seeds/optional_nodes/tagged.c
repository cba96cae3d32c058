#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item { int tag; struct item *next; int *one; struct item *two; };
struct small { int tag; struct item *next; };
int main(void) {
    struct item *list = NULL;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int() & 3) {
        case 0: {
            struct small *s = malloc(sizeof *s);
            if (!s) break;
            s->tag = 0; s->next = list; list = (struct item *)s;
            break;
        }
        case 1: {
            struct item *i = malloc(sizeof *i);
            if (!i) break;
            i->tag = 1; i->two = NULL; i->one = malloc(sizeof *i->one); i->next = list; list = i;
            break;
        }
        default: {
            struct item *i = malloc(sizeof *i);
            if (!i) break;
            i->tag = 2; i->one = NULL; i->two = malloc(sizeof *i->two); i->next = list; list = i;
            break;
        }
        }
    }
    while (list) {
        struct item *i = list;
        list = i->next;
        if (i->tag == 1) free(i->one);
        else if (i->tag == 2) free(i->two);
        free(i);
    }
    return 0;
}
