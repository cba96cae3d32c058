// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A vector of copied texts that is freed from its end: while (n--) free(v[n]).
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct names {
    char **v;
    size_t n, capacity;
};

static int add(struct names *names, const char *text) {
    if (names->n == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 4;
        char **v = realloc(names->v, capacity * sizeof *v);
        if (!v)
            return -1;
        names->v = v;
        names->capacity = capacity;
    }
    char *copy = strdup(text);
    if (!copy)
        return -1;
    names->v[names->n++] = copy;
    return 0;
}

static void clear(struct names *names) {
    while (names->n--)
        free(names->v[names->n]);
    free(names->v);
}

int main(void) {
    struct names names = {NULL, 0, 0};
    while (__VERIFIER_nondet_int()) {
        if (add(&names, __VERIFIER_nondet_int() ? "long" : "") < 0)
            break;
    }
    clear(&names);
    return 0;
}
