#include <stdlib.h>
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
#define SIZE 4
struct entry { char name[4]; struct entry *next; };
static struct entry *buckets[SIZE];

static unsigned hash(const char *name) {
    unsigned h = 0;
    for (size_t i = 0; i < strlen(name); i++)
        h = h * 31 + name[i];
    return h % SIZE;
}

static struct entry **find(const char *name) {
    struct entry **e = &buckets[hash(name)];
    while (*e && strcmp((*e)->name, name) != 0)
        e = &(*e)->next;
    return e;
}

static void put(const char *name) {
    struct entry **e = find(name);
    if (!*e) {
        *e = malloc(sizeof **e);
        memset(*e, 0, sizeof **e);
        strcpy((*e)->name, name);
    }
}

int main(void) {
    const char *names[] = { "ab", "cd", "xyz", "ab" };
    for (int i = 0; i < 4; i++)
        put(names[i]);
    unsigned char at = __VERIFIER_nondet_uchar();
    if (at < SIZE + 1)
        buckets[at] = buckets[at]; // FAILS: out_of_bounds
    for (int i = 0; i < SIZE; i++)
        while (buckets[i]) {
            struct entry *gone = buckets[i];
            buckets[i] = gone->next;
            free(gone);
        }
    return 0;
}
