/* A doubly linked list by macros in the manner of utlist: head->prev is the last one. */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define DL_APPEND(head, add)               \
    do {                                   \
        if (head) {                        \
            (add)->prev = (head)->prev;    \
            (head)->prev->next = (add);    \
            (head)->prev = (add);          \
            (add)->next = NULL;            \
        } else {                           \
            (head) = (add);                \
            (head)->prev = (head);         \
            (head)->next = NULL;           \
        }                                  \
    } while (0)

#define DL_DELETE(head, del)                    \
    do {                                        \
        if ((del)->prev == (del)) {             \
            (head) = NULL;                      \
        } else if ((del) == (head)) {           \
            (del)->next->prev = (del)->prev;    \
            (head) = (del)->next;               \
        } else {                                \
            (del)->prev->next = (del)->next;    \
            if ((del)->next)                    \
                (del)->next->prev = (del)->prev; \
            else                                \
                (head)->prev = (del)->prev;     \
        }                                       \
    } while (0)

struct job {
    int id;
    struct job *prev, *next;
};

static struct job *jobs;

static int submit(int id) {
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return 0;
    job->id = id;
    DL_APPEND(jobs, job);
    return 1;
}

static struct job *find(int id) {
    for (struct job *job = jobs; job; job = job->next)
        if (job->id == id)
            return job;
    return NULL;
}

static void cancel(int id) {
    struct job *job = find(id);
    if (job == NULL)
        return;
    DL_DELETE(jobs, job);
    free(job);
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        int id = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int())
            submit(id);
        else
            cancel(id);
    }
    struct job *next;
    for (struct job *job = jobs; job; job = next) {
        next = job->next;
        free(job);
    }
    return 0;
}
