/* A table of chains with keys that are copied, in the manner of jansson's hash table. */
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

#define BUCKETS 2

struct pair {
    struct pair *next;
    char *key;
    int value;
};

struct table {
    struct pair *buckets[BUCKETS];
    int size;
};

static unsigned hash(const char *key) {
    return (unsigned char)key[0];
}

static struct pair *find(struct table *table, const char *key) {
    struct pair *pair = table->buckets[hash(key) % BUCKETS];
    while (pair != NULL && strcmp(pair->key, key) != 0)
        pair = pair->next;
    return pair;
}

static int set(struct table *table, const char *key, int value) {
    struct pair *pair = find(table, key);
    if (pair != NULL) {
        pair->value = value;
        return 0;
    }
    pair = malloc(sizeof *pair);
    if (pair == NULL)
        return -1;
    pair->key = strdup(key);
    if (pair->key == NULL) {
        free(pair);
        return -1;
    }
    pair->value = value;
    pair->next = table->buckets[hash(key) % BUCKETS];
    table->buckets[hash(key) % BUCKETS] = pair;
    table->size++;
    return 0;
}

static void delete_all(struct table *table) {
    for (int i = 0; i < BUCKETS; i++) {
        while (table->buckets[i] != NULL) {
            struct pair *pair = table->buckets[i];
            table->buckets[i] = pair->next;
            free(pair->key);
            free(pair);
        }
    }
}

int main(void) {
    struct table table = { { NULL }, 0 };
    for (int round = 0; round < 3 && __VERIFIER_nondet_int(); round++) {
        char *name = malloc(2);
        if (name == NULL)
            break;
        name[0] = __VERIFIER_nondet_int() ? 'a' : 'b';
        name[1] = 0;
        set(&table, name, round);
        free(name);
        struct pair *pair = find(&table, "a");
        if (pair != NULL)
            pair->value++;
    }
    delete_all(&table);
    return 0;
}
