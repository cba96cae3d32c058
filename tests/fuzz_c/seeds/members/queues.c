// Two queues of one struct on the heap, which hand nodes on.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct task { struct task *next; int id; };
struct sched { struct task *ready, *blocked, *current; };
static struct task *take(struct task **from) {
    struct task *t = *from;
    if (t)
        *from = t->next;
    return t;
}
static void give(struct task **to, struct task *t) {
    t->next = *to;
    *to = t;
}
int main(void) {
    struct sched *s = malloc(sizeof *s);
    struct task *t;
    if (!s)
        return 1;
    s->ready = s->blocked = s->current = NULL;
    while (__VERIFIER_nondet_int()) {
        int what = __VERIFIER_nondet_int();
        if (what == 1) {
            t = malloc(sizeof *t);
            if (!t)
                break;
            t->id = what;
            give(&s->ready, t);
        } else if (what == 2) {
            t = take(&s->ready);
            if (t)
                give(&s->blocked, t);
        } else if (what == 3 && !s->current) {
            s->current = take(&s->blocked);
            if (s->current)
                s->current->next = NULL;
        } else if (s->current) {
            free(s->current);
            s->current = NULL;
        }
    }
    free(s->current);
    while ((t = take(&s->ready)) != NULL)
        free(t);
    while ((t = take(&s->blocked)) != NULL)
        free(t);
    free(s);
    return 0;
}
