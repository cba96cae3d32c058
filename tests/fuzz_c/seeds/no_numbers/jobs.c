#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { void (*run)(void *); void *argument; int due; struct job *next; };
static void count(void *at) { ++*(int *)at; }
static void nothing(void *at) { (void)at; }
int main(void) {
    struct job *jobs = 0;
    int number = 0;
    while (__VERIFIER_nondet_int()) {
        struct job *job = malloc(sizeof *job);
        if (!job) break;
        int counts = __VERIFIER_nondet_int();
        job->run = counts ? count : nothing;
        job->argument = counts ? &number : 0;
        job->due = __VERIFIER_nondet_int() ? 3 : 5;
        job->next = jobs;
        jobs = job;
    }
    struct job *j = jobs;
    while (j) {
        if (j->due == 5) { j->run = nothing; j->argument = 0; j->due = 3; }
        j = j->next;
    }
    while (jobs) {
        struct job *job = jobs;
        jobs = job->next;
        if (job->due < 4) job->run(job->argument);
        free(job);
    }
    return 0;
}
