// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list with head, tail and length; any sequence of its operations.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct node { struct node* prev, *next; void* value; } node;
typedef struct iter { node* next; int direction; } iter;
typedef struct list { node* head, *tail; unsigned long len; } list;
static list* create(void) {
  list* l = malloc(sizeof *l);
  if (!l) return NULL;
  l->head = l->tail = NULL;
  l->len = 0;
  return l;
}
static void empty(list* l) {
  unsigned long len = l->len;
  node* cur = l->head, *next;
  while (len--) {
    next = cur->next;
    free(cur);
    cur = next;
  }
  l->head = l->tail = NULL;
  l->len = 0;
}
static void release(list* l) { empty(l); free(l); }
static list* add_head(list* l, void* v) {
  node* n = malloc(sizeof *n);
  if (!n) return NULL;
  n->value = v;
  if (l->len == 0) {
    l->head = l->tail = n;
    n->prev = n->next = NULL;
  } else {
    n->prev = NULL;
    n->next = l->head;
    l->head->prev = n;
    l->head = n;
  }
  l->len++;
  return l;
}
static list* add_tail(list* l, void* v) {
  node* n = malloc(sizeof *n);
  if (!n) return NULL;
  n->value = v;
  if (l->len == 0) {
    l->head = l->tail = n;
    n->prev = n->next = NULL;
  } else {
    n->prev = l->tail;
    n->next = NULL;
    l->tail->next = n;
    l->tail = n;
  }
  l->len++;
  return l;
}
static void del(list* l, node* n) {
  if (n->prev) n->prev->next = n->next; else l->head = n->next;
  if (n->next) n->next->prev = n->prev; else l->tail = n->prev;
  free(n);
  l->len--;
}
static node* next(iter* it) {
  node* cur = it->next;
  if (cur) it->next = it->direction ? cur->prev : cur->next;
  return cur;
}
static node* search(list* l, void* v) {
  iter it = { l->head, 0 };
  node* n;
  while ((n = next(&it))) if (n->value == v) return n;
  return NULL;
}
static node* at(list* l, long i) {
  node* n;
  if (i < 0) {
    i = -i - 1;
    n = l->tail;
    while (i-- && n) n = n->prev;
  } else {
    n = l->head;
    while (i-- && n) n = n->next;
  }
  return n;
}
static void rotate(list* l) {
  if (l->len <= 1) return;
  node* tail = l->tail;
  l->tail = tail->prev;
  l->tail->next = NULL;
  l->head->prev = tail;
  tail->prev = NULL;
  tail->next = l->head;
  l->head = tail;
}
int main(void) {
  list* l = create();
  if (!l) return 1;
  int x;
  while (__VERIFIER_nondet_int()) {
    switch (__VERIFIER_nondet_int()) {
    case 0: add_head(l, &x); break;
    case 1: add_tail(l, &x); break;
    case 2: { node* n = search(l, &x); if (n) del(l, n); break; }
    case 3: { node* n = at(l, __VERIFIER_nondet_int()); if (n) del(l, n); break; }
    case 4: rotate(l); break;
    case 5: empty(l); break;
    }
  }
  release(l);
  return 0;
}
