/* A map from numbers to values that it owns, with destructors, in the manner of libderp. */
#include <stdio.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
void report_error(const char *format, ...);

typedef struct map_node {
    int key;
    void *value;
    struct map_node *next;
} map_node;

typedef struct map {
    map_node *first;
    void (*destroy)(void *value);
    size_t count;
} map;

static map *map_create(void (*destroy)(void *)) {
    map *made = malloc(sizeof *made);
    if (made == NULL) {
        report_error("no memory for a map of %d\n", 0);
        return NULL;
    }
    made->first = NULL;
    made->destroy = destroy;
    made->count = 0;
    return made;
}

static map_node *map_lookup(map *self, int key) {
    map_node *node = self->first;
    while (node != NULL && node->key != key)
        node = node->next;
    return node;
}

static int map_insert(map *self, int key, void *value) {
    map_node *node = map_lookup(self, key);
    if (node != NULL) {
        self->destroy(node->value);
        node->value = value;
        return 0;
    }
    node = malloc(sizeof *node);
    if (node == NULL) {
        self->destroy(value);
        return -1;
    }
    node->key = key;
    node->value = value;
    node->next = self->first;
    self->first = node;
    self->count++;
    return 0;
}

static void map_remove(map *self, int key) {
    map_node **link = &self->first;
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->next;
    map_node *gone = *link;
    if (gone == NULL)
        return;
    *link = gone->next;
    self->destroy(gone->value);
    free(gone);
    self->count--;
}

static void map_destroy(map *self) {
    map_node *node = self->first;
    while (node != NULL) {
        map_node *next = node->next;
        self->destroy(node->value);
        free(node);
        node = next;
    }
    free(self);
}

int main(void) {
    map *map = map_create(free);
    if (map == NULL)
        return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            map_insert(map, __VERIFIER_nondet_int() ? 1 : 2, malloc(4));
        else
            map_remove(map, 1);
    }
    map_destroy(map);
    return 0;
}
