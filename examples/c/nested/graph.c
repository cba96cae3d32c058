// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A directed graph: a list of vertices, each with a list of its edges, which refer to vertices of the first list.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct edge {
    struct vertex *to;
    struct edge *next;
};

struct vertex {
    int id;
    int degree;
    struct edge *out;
    struct vertex *next;
};

struct graph {
    struct vertex *vertices;
};

static struct vertex *vertex(struct graph *g, int id) {
    struct vertex *v = g->vertices;
    while (v && v->id != id)
        v = v->next;
    if (!v) {
        v = malloc(sizeof *v);
        if (!v)
            return NULL;
        v->id = id;
        v->degree = 0;
        v->out = NULL;
        v->next = g->vertices;
        g->vertices = v;
    }
    return v;
}

static int connect(struct graph *g, int from, int to) {
    struct vertex *x = vertex(g, from);
    struct vertex *y = vertex(g, to);
    if (!x || !y)
        return -1;
    struct edge *e = malloc(sizeof *e);
    if (!e)
        return -1;
    e->to = y;
    e->next = x->out;
    x->out = e;
    return 0;
}

static void count_degrees(struct graph *g) {
    for (struct vertex *v = g->vertices; v; v = v->next)
        for (struct edge *e = v->out; e; e = e->next)
            e->to->degree = (e->to->degree + 1) % 1000;
}

static void clear(struct graph *g) {
    while (g->vertices) {
        struct vertex *v = g->vertices;
        g->vertices = v->next;
        while (v->out) {
            struct edge *e = v->out;
            v->out = e->next;
            free(e);
        }
        free(v);
    }
}

int main(void) {
    struct graph g = {NULL};
    while (__VERIFIER_nondet_int())
        if (connect(&g, __VERIFIER_nondet_int(), __VERIFIER_nondet_int()))
            break;
    count_degrees(&g);
    clear(&g);
    return 0;
}
