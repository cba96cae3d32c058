/* A pool: released blocks are kept in a list and used again. */
#include <stdlib.h>

struct slot {
    struct slot *next;
    int payload;
};

struct pool {
    struct slot *idle;
    struct slot *used;
};

void pool_init(struct pool *p) {
    p->idle = NULL;
    p->used = NULL;
}

int pool_acquire(struct pool *p, int payload) {
    struct slot *s = p->idle;
    if (s != NULL)
        p->idle = s->next;
    else if ((s = malloc(sizeof *s)) == NULL)
        return -1;
    s->payload = payload;
    s->next = p->used;
    p->used = s;
    return 0;
}

int pool_release(struct pool *p) {
    struct slot *s = p->used;
    if (s == NULL)
        return -1;
    p->used = s->next;
    s->next = p->idle;
    p->idle = s;
    return 0;
}

static void free_slots(struct slot *s) {
    while (s != NULL) {
        struct slot *next = s->next;
        free(s);
        s = next;
    }
}

void pool_trim(struct pool *p) {
    free_slots(p->idle);
    p->idle = NULL;
}

void pool_finish(struct pool *p) {
    free_slots(p->idle);
    free_slots(p->used);
}
