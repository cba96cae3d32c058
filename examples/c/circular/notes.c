// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// SLOW: 250,000 structures, 4 s of the processor
// Tasks in an intrusive ring, each with a note or without: the combinations make 300,000 structures.
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct ring {
    struct ring *after, *before;
};

struct task {
    int number;
    struct ring place;
    char *note;
};

#define TASK(r) ((struct task *)((char *)(r) - offsetof(struct task, place)))

static void link_between(struct ring *left, struct ring *new, struct ring *right) {
    new->before = left;
    new->after = right;
    right->before = new;
    left->after = new;
}

static void take_out(struct ring *r) {
    struct ring *right = r->after, *left = r->before;
    left->after = right;
    right->before = left;
    r->after = r->before = NULL;
}

static void end(struct task *t) {
    take_out(&t->place);
    free(t->note);
    free(t);
}

int main(void) {
    struct ring tasks = {&tasks, &tasks};
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct task *t = malloc(sizeof *t);
            if (!t) break;
            t->number = __VERIFIER_nondet_int();
            t->note = __VERIFIER_nondet_int() ? malloc(20) : NULL;
            if (__VERIFIER_nondet_int())
                link_between(&tasks, &t->place, tasks.after);
            else
                link_between(tasks.before, &t->place, &tasks);
        } else {
            for (struct ring *r = tasks.after; r != &tasks; r = r->after)
                if (TASK(r)->number == 7) {
                    end(TASK(r));
                    break;
                }
        }
    }
    while (tasks.after != &tasks) end(TASK(tasks.after));
    return 0;
}
