// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table with open addressing: an array of entries that own their values, probed one after the other.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

#define SIZE 64

struct entry {
    unsigned key;
    int *value;
};

static struct entry table[SIZE];

static int put(unsigned key, int number) {
    for (unsigned k = 0; k < SIZE; k++) {
        struct entry *entry = &table[(key + k) % SIZE];
        if (entry->value == NULL) {
            entry->value = malloc(sizeof *entry->value);
            if (!entry->value)
                return -1;
            entry->key = key;
            *entry->value = number;
            return 1;
        }
        if (entry->key == key) {
            *entry->value = number;
            return 0;
        }
    }
    return -1;
}

static int *get(unsigned key) {
    for (unsigned k = 0; k < SIZE; k++) {
        struct entry *entry = &table[(key + k) % SIZE];
        if (entry->value == NULL)
            return NULL;
        if (entry->key == key)
            return entry->value;
    }
    return NULL;
}

int main(void) {
    int sum = 0;
    while (__VERIFIER_nondet_int()) {
        put(__VERIFIER_nondet_uint(), __VERIFIER_nondet_int());
        int *value = get(__VERIFIER_nondet_uint());
        if (value)
            sum ^= *value;
    }
    for (int i = 0; i < SIZE; i++)
        free(table[i].value);
    return sum == 0;
}
