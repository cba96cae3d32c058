// The lock of SLAM's example with a list of requests beside it: the loop goes on only if the lock is free.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct request {
    struct request *next;
};
static int locked;
static void lock(void) {
    assert(!locked);
    locked = 1;
}
static void unlock(void) {
    assert(locked);
    locked = 0;
}
static struct request *requests(void) {
    struct request *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct request *r = malloc(sizeof *r);
        if (!r)
            abort();
        r->next = list;
        list = r;
    }
    return list;
}

int main(void) {
    struct request *list = requests();
    int packets = 0, old;
    do {
        lock();
        old = packets;
        struct request *r = list;
        if (r) {
            list = r->next;
            unlock();
            free(r);
            packets++;
        }
    } while (packets != old);
    unlock();
    return 0;
}
