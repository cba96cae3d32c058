// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A hash table with chains whose entries own two texts: a value is replaced, an entry is removed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    char *name;
    char *value;
    struct setting *next;
};
struct settings {
    struct setting **buckets;
    unsigned count;
};

static char *copy(const char *text) {
    char *fresh = malloc(strlen(text) + 1);
    if (fresh)
        strcpy(fresh, text);
    return fresh;
}

static unsigned bucket_of(const struct settings *table, const char *name) {
    unsigned hash = 0;
    while (*name)
        hash = hash * 31 + (unsigned char)*name++;
    return hash % table->count;
}

static int set(struct settings *table, const char *name, const char *value) {
    unsigned bucket = bucket_of(table, name);
    for (struct setting *s = table->buckets[bucket]; s; s = s->next)
        if (strcmp(s->name, name) == 0) {
            char *fresh = copy(value);
            if (!fresh)
                return -1;
            free(s->value);
            s->value = fresh;
            return 0;
        }
    struct setting *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    s->name = copy(name);
    s->value = copy(value);
    if (!s->name || !s->value) {
        free(s->name);
        free(s->value);
        free(s);
        return -1;
    }
    s->next = table->buckets[bucket];
    table->buckets[bucket] = s;
    return 0;
}

static void unset(struct settings *table, const char *name) {
    unsigned bucket = bucket_of(table, name);
    struct setting *before = NULL, *s = table->buckets[bucket];
    while (s && strcmp(s->name, name) != 0) {
        before = s;
        s = s->next;
    }
    if (!s)
        return;
    if (before)
        before->next = s->next;
    else
        table->buckets[bucket] = s->next;
    free(s->name);
    free(s->value);
    free(s);
}

int main(int argc, char **argv) {
    struct settings table;
    table.count = 16;
    table.buckets = malloc(table.count * sizeof *table.buckets);
    if (!table.buckets)
        return 1;
    for (unsigned i = 0; i < table.count; i++)
        table.buckets[i] = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (argv[i + 1][0] == '-')
            unset(&table, argv[i]);
        else if (set(&table, argv[i], argv[i + 1]) != 0)
            break;
    }
    for (unsigned i = 0; i < table.count; i++) {
        struct setting *s = table.buckets[i];
        while (s) {
            struct setting *next = s->next;
            printf("%s = %s\n", s->name, s->value);
            free(s->name);
            free(s->value);
            free(s);
            s = next;
        }
    }
    free(table.buckets);
    return 0;
}
