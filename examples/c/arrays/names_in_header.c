// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of copied texts, whose header comes from calloc and has the size of its entries.
#include <stdlib.h>
#include <string.h>

struct entry {
    char *name;
    struct entry *next;
};
struct names {
    struct entry *first;
    int number;
};

static int add(struct names *names, const char *name) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -1;
    entry->name = strdup(name);
    if (!entry->name) {
        free(entry);
        return -1;
    }
    entry->next = names->first;
    names->first = entry;
    names->number++;
    return 0;
}

int main(int argc, char **argv) {
    struct names *names = calloc(1, sizeof *names);
    if (!names)
        return 1;
    for (int i = 0; i < argc; i++)
        add(names, argv[i]);
    while (names->first) {
        struct entry *entry = names->first;
        names->first = entry->next;
        free(entry->name);
        free(entry);
    }
    free(names);
    return 0;
}
