// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of signed numbers, each copied to an unsigned one: what is -1 in one is the largest number in the other.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct reading {
    struct reading *next;
    int value;
};

struct record {
    struct record *next;
    unsigned bits;
};

int main(void) {
    struct reading *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct reading *reading = malloc(sizeof *reading);
        if (!reading)
            break;
        reading->value = -1;
        reading->next = list;
        list = reading;
    }
    while (list) {
        struct reading *next = list->next;
        struct record record;
        memcpy(&record, list, sizeof record);
        assert(record.bits == 4294967295u);
        free(list);
        list = next;
    }
    return 0;
}
