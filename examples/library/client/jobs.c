/* A list of jobs, each with a queue of its own. With the source of the queue there are too many structures:
 *   kleene check --library number_queue.c --json number_queue.json
 *   kleene check jobs.c --proved-library number_queue.json
 */
#include "number_queue.h"
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct job {
    struct job *next;
    struct queue *queue;
};
int main(void) {
    struct job *jobs = NULL;
    while (__VERIFIER_nondet_int()) {
        struct job *job = malloc(sizeof *job);
        if (!job)
            break;
        job->queue = queue_new();
        if (!job->queue) {
            free(job);
            break;
        }
        job->next = jobs;
        jobs = job;
        for (struct job *j = jobs; j; j = j->next)
            queue_push(j->queue, 1);
    }
    while (jobs) {
        struct job *next = jobs->next;
        queue_free(jobs->queue);
        free(jobs);
        jobs = next;
    }
    return 0;
}
