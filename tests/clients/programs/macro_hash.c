/* Records that are found by macros, with handles inside of them, in the manner of uthash. */
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct handle {
    struct user *prev;
    struct user *next;
    struct user *chain;
};

struct user {
    int id;
    struct handle hh;
};

static struct user *users;

#define HASH_ADD(head, add)                 \
    do {                                    \
        (add)->hh.prev = NULL;              \
        (add)->hh.next = (head);            \
        (add)->hh.chain = NULL;             \
        if (head)                           \
            (head)->hh.prev = (add);        \
        (head) = (add);                     \
    } while (0)
#define HASH_FIND_INT(head, key, out)       \
    do {                                    \
        (out) = (head);                     \
        while (out) {                       \
            if ((out)->id == (key))         \
                break;                      \
            (out) = (out)->hh.next;         \
        }                                   \
    } while (0)
#define HASH_DEL(head, del)                                 \
    do {                                                    \
        if ((del)->hh.prev)                                 \
            (del)->hh.prev->hh.next = (del)->hh.next;       \
        else                                                \
            (head) = (del)->hh.next;                        \
        if ((del)->hh.next)                                 \
            (del)->hh.next->hh.prev = (del)->hh.prev;       \
    } while (0)
#define HASH_ITER(head, position, following)                                                \
    for ((position) = (head), (following) = (position) ? (position)->hh.next : NULL; (position); \
         (position) = (following), (following) = (following) ? (following)->hh.next : NULL)

static void add_user(int id) {
    struct user *user;
    HASH_FIND_INT(users, id, user);
    if (user == NULL) {
        user = malloc(sizeof *user);
        if (user == NULL)
            return;
        user->id = id;
        HASH_ADD(users, user);
    }
}

static void delete_user(int id) {
    struct user *user;
    HASH_FIND_INT(users, id, user);
    if (user != NULL) {
        HASH_DEL(users, user);
        free(user);
    }
}

static void delete_all(void) {
    struct user *user, *following;
    HASH_ITER(users, user, following) {
        HASH_DEL(users, user);
        free(user);
    }
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            add_user(__VERIFIER_nondet_int());
        else
            delete_user(__VERIFIER_nondet_int());
    }
    delete_all();
    return 0;
}
