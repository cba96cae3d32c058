// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Tasks in a list, each with the function to run next; a task without one is done.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

enum state { NEW, RUNNING, DONE };

struct task {
    void (*run)(struct task *);
    enum state state;
    struct task *next;
};

static void stop(struct task *task) {
    assert(task->state == RUNNING);
    task->state = DONE;
    task->run = NULL;
}

static void start(struct task *task) {
    task->state = RUNNING;
    task->run = stop;
}

int main(void) {
    struct task *tasks = NULL;
    while (__VERIFIER_nondet_int()) {
        struct task *task = malloc(sizeof *task);
        if (!task)
            break;
        task->run = start;
        task->state = NEW;
        task->next = tasks;
        tasks = task;
    }
    while (tasks) {
        struct task *task = tasks;
        if (task->run) {
            task->run(task);
        } else {
            tasks = task->next;
            free(task);
        }
    }
    return 0;
}
