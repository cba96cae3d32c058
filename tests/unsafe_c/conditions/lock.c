// The lock of SLAM's example, with a list beside it: the packet is not counted where the request has no status.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct request {
    struct request *next;
    int status;
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
int main(void) {
    struct request *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct request *r = malloc(sizeof *r);
        if (!r)
            exit(0);
        r->next = list;
        r->status = __VERIFIER_nondet_int();
        list = r;
    }
    int packets = 0, old;
    do {
        lock();
        old = packets;
        struct request *r = list;
        if (r) {
            list = r->next;
            unlock();
            if (r->status > 0)
                packets++;
            free(r);
        }
    } while (packets != old);
    unlock();
    return 0;
}
