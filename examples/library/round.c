/* Players in a round, behind a header that counts them and leads to the one whose turn it is. */
#include <stdlib.h>
struct player {
    struct player *next;
    int number;
};
struct round {
    struct player *current;
    int players;
};
struct round *round_new(void) {
    return calloc(1, sizeof(struct round));
}
int round_join(struct round *r, int number) {
    struct player *p = malloc(sizeof *p);
    if (!p)
        return -1;
    p->number = number;
    if (!r->current) {
        p->next = p;
        r->current = p;
    } else {
        p->next = r->current->next;
        r->current->next = p;
    }
    return ++r->players;
}
int round_turn(struct round *r) {
    if (!r->current)
        return -1;
    r->current = r->current->next;
    return r->current->number;
}
int round_leave(struct round *r, int number) {
    struct player *before = r->current, *p;
    if (!before)
        return 0;
    do {
        p = before->next;
        if (p->number == number) {
            before->next = p->next;
            if (r->current == p)
                r->current = before == p ? NULL : before;
            free(p);
            r->players--;
            return 1;
        }
        before = p;
    } while (before != r->current);
    return 0;
}
void round_free(struct round *r) {
    struct player *p = r->current;
    if (p) {
        struct player *n = p->next;
        while (n != p) {
            struct player *t = n->next;
            free(n);
            n = t;
        }
        free(p);
    }
    free(r);
}
