// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A graph with lists of edges, searched in breadth: the numbers of nodes in lists are indices of two arrays.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct edge {
  int to;
  struct edge* next;
};
struct graph {
  int n;
  struct edge** edges;
};
struct item {
  int node;
  struct item* next;
};
static void add(struct graph* g, int from, int to) {
  if (from < 0 || from >= g->n || to < 0 || to >= g->n) return;
  struct edge* e = malloc(sizeof *e);
  if (e == NULL) return;
  e->to = to;
  e->next = g->edges[from];
  g->edges[from] = e;
}
static struct item* push(struct item* top, int node) {
  struct item* i = malloc(sizeof *i);
  if (i == NULL) return top;
  i->node = node;
  i->next = top;
  return i;
}
static void search(struct graph* g) {
  char* seen = calloc(g->n, 1);
  if (seen == NULL) return;
  struct item* waiting = push(NULL, 0);
  while (waiting != NULL) {
    struct item* i = waiting;
    waiting = i->next;
    int node = i->node;
    free(i);
    for (struct edge* e = g->edges[node]; e != NULL; e = e->next) {
      if (seen[e->to]) continue;
      seen[e->to] = 1;
      waiting = push(waiting, e->to);
    }
  }
  free(seen);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 1000) return 0;
  struct graph g = {n, calloc(n, sizeof(struct edge*))};
  if (g.edges == NULL) return 0;
  while (__VERIFIER_nondet_int()) add(&g, __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
  search(&g);
  for (int i = 0; i < n; i++) {
    while (g.edges[i] != NULL) {
      struct edge* e = g.edges[i];
      g.edges[i] = e->next;
      free(e);
    }
  }
  free(g.edges);
  return 0;
}
