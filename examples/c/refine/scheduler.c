// An event loop with a run queue, from which any task may go, and seven stacks of other things.
// The queue stays a doubly linked list; nothing that is on the stacks matters for that.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct task { struct task *next, *prev; int priority; };
struct event { struct event *older; int what; };

static struct task *queue;
static struct event *log, *signals, *timers, *requests, *replies, *faults, *statistics;

static void *allocate(size_t size)
{
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

static void task_start(void)
{
    struct task *t = allocate(sizeof *t);
    t->priority = __VERIFIER_nondet_int();
    t->prev = NULL;
    t->next = queue;
    if (queue)
        queue->prev = t;
    queue = t;
}

static void task_end(struct task *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        queue = t->next;
    if (t->next)
        t->next->prev = t->prev;
    free(t);
}

static struct task *task_choose(void)
{
    struct task *t = queue;
    while (t && __VERIFIER_nondet_int())
        t = t->next;
    return t;
}

static struct event *event_on(struct event *stack)
{
    struct event *e = allocate(sizeof *e);
    e->what = __VERIFIER_nondet_int();
    e->older = stack;
    return e;
}

static void events(void)
{
    switch (__VERIFIER_nondet_int()) {
    case 0: log = event_on(log); break;
    case 1: signals = event_on(signals); break;
    case 2: timers = event_on(timers); break;
    case 3: requests = event_on(requests); break;
    case 4: replies = event_on(replies); break;
    case 5: faults = event_on(faults); break;
    default: statistics = event_on(statistics); break;
    }
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        struct task *t;
        if (__VERIFIER_nondet_int())
            task_start();
        t = task_choose();
        if (t && __VERIFIER_nondet_int())
            task_end(t);
        events();
    }
    for (struct task *t = queue; t; t = t->next)
        assert(!t->next || t->next->prev == t);
    return 0;
}
