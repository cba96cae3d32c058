"""Random programs with blocks of pointers of any length: hash tables, growing vectors, stacks, rings, tries."""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; };
struct vec { struct node **v; int n, cap; };
struct table { struct node **slots; unsigned size; };
struct trie { int end; struct trie *kid[4]; };
static struct node *make(int d) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->key = d; n->next = NULL;
  return n;
}
"""


class Blocks(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("blocks", seed, share=0.12)

    def vector(self) -> list[str]:
        grow = self.slip("v->cap * 2", "v->cap", "v->cap + 1")
        pop = ["if (x == 2 && v->n > 0) free(v->v[--v->n]);"]
        pop = [self.slip(pop[0], "if (x == 2) free(v->v[--v->n]);", "if (x == 2 && v->n > 0) free(v->v[v->n - 1]);")]
        return [
            "static void add(struct vec *v, struct node *p) {",
            f"  if (v->n {self.slip('==', '>', '>=')} v->cap) {{",
            f"    v->cap = v->cap ? {grow} : {self.slip('4', '1', '0')};",
            f"    v->v = realloc(v->v, v->cap * sizeof {self.slip('*v->v', '**v->v', 'p')});",
            "    if (!v->v) abort();",
            "  }",
            f"  v->v[{self.slip('v->n++', '++v->n', 'v->n')}] = p;",
            "}",
            "int main(void) {",
            "  struct vec own = { NULL, 0, 0 }; struct vec *v = &own;",
            "  while (__VERIFIER_nondet_int()) {",
            "    int x = __VERIFIER_nondet_int();",
            "    if (x == 1) add(v, make(x));",
            *indented(indented(self.maybe(*pop))),
            f"    if (x == 3 && v->n > {self.slip('0', '-1')}) x = v->v[{self.slip('v->n - 1', 'v->n', '0')}]->key;",
            "  }",
            f"  for (int i = 0; i {self.slip('<', '<=')} {self.slip('v->n', 'v->cap')}; i++) free(v->v[i]);",
            f"  {self.slip('free(v->v);', ';')}",
            "  return 0;",
            "}",
            "",
        ]

    def table(self) -> list[str]:
        index = self.slip("(unsigned)k % t->size", "k % t->size", "k", "(unsigned)k & t->size")
        lookup = self.slip("while (p && p->key != k) p = p->next;", "while (p->key != k) p = p->next;")
        return [
            "static void put(struct table *t, int k) {",
            "  struct node *p = make(k);",
            f"  unsigned h = {index};",
            f"  {self.slip('p->next = t->slots[h];', ';')}",
            "  t->slots[h] = p;",
            "}",
            "static struct node *get(struct table *t, int k) {",
            "  struct node *p = t->slots[(unsigned)k % t->size];",
            f"  {lookup}",
            "  return p;",
            "}",
            "static void drop(struct table *t, int k) {",
            "  struct node **p = &t->slots[(unsigned)k % t->size];",
            "  while (*p && (*p)->key != k) p = &(*p)->next;",
            f"  {self.slip('if (!*p) return;', ';')}",
            "  struct node *q = *p;",
            f"  {self.slip('*p = q->next;', ';')}",
            "  free(q);",
            "}",
            "int main(void) {",
            f"  int n = __VERIFIER_nondet_int(); if (n {self.slip('<', '<=')} 1 || n > 1000) return 0;",
            f"  struct table t; t.size = {self.slip('n', 'n + 1')};",
            f"  t.slots = {self.slip('calloc(n, sizeof *t.slots)', 'malloc(n * sizeof *t.slots)')};",
            "  if (!t.slots) abort();",
            "  while (__VERIFIER_nondet_int()) {",
            "    int x = __VERIFIER_nondet_int();",
            "    if (x & 1) put(&t, x);",
            *indented(indented(self.maybe("if (x & 2) drop(&t, x);"))),
            f"    if (x & 4) {{ struct node *p = get(&t, x); {self.slip('if (p)', '')} x = p->key; }}",
            "  }",
            f"  for (int i = {self.slip('0', '1')}; i {self.slip('<', '<=')} n; i++)",
            "    while (t.slots[i]) { struct node *q = t.slots[i]; t.slots[i] = q->next; free(q); }",
            f"  {self.slip('free(t.slots);', ';')}",
            "  return 0;",
            "}",
            "",
        ]

    def stack(self) -> list[str]:
        size = self.random.choice((3, 8, 64))
        return [
            f"static struct node *st[{size}]; static int top;",
            f"static void push(struct node *p) {{ if (top {self.slip('<', '<=')} {size}) st[top++] = p; "
            f"else {self.slip('free(p)', ';')}; }}",
            f"static struct node *pop(void) {{ return top {self.slip('> 0', '>= 0')} ? st[--top] : NULL; }}",
            "int main(void) {",
            "  while (__VERIFIER_nondet_int()) {",
            "    if (__VERIFIER_nondet_int()) push(make(1));",
            f"    else {self.slip('free(pop());', '{ struct node *p = pop(); p->key = 2; free(p); }', 'pop();')}",
            "  }",
            f"  while (top {self.slip('> 0', '> 1', '>= 0')}) free(st[--top]);",
            "  return 0;",
            "}",
            "",
        ]

    def trie(self) -> list[str]:
        step = self.slip("int c = __VERIFIER_nondet_int(); if (c < 0 || c > 3) break;",
                         "int c = __VERIFIER_nondet_int(); if (c < 0 || c > 4) break;",
                         "int c = __VERIFIER_nondet_int() % 4;")  # fmt: skip
        made = self.slip("calloc(1, sizeof(struct trie))", "malloc(sizeof(struct trie))")
        return [
            "static void forget(struct trie *t) {",
            f"  {self.slip('if (!t) return;', ';')}",
            f"  for (int i = 0; i {self.slip('< 4', '<= 4', '< 3')}; i++) forget(t->kid[i]);",
            "  free(t);",
            "}",
            "int main(void) {",
            f"  struct trie *root = {made}; if (!root) abort();",
            "  while (__VERIFIER_nondet_int()) {",
            "    struct trie *t = root;",
            "    while (__VERIFIER_nondet_int()) {",
            f"      {step}",
            f"      {self.slip('if (!t->kid[c])', '')} {{ t->kid[c] = {made}; if (!t->kid[c]) abort(); }}",
            "      t = t->kid[c];",
            "    }",
            "    t->end = 1;",
            "  }",
            f"  {self.slip('forget(root);', 'free(root);', ';')}",
            "  return 0;",
            "}",
            "",
        ]

    def rows(self) -> list[str]:
        return [
            "int main(void) {",
            "  int n = __VERIFIER_nondet_int(), w = __VERIFIER_nondet_int();",
            "  if (n < 1 || n > 100 || w < 1 || w > 100) return 0;",
            f"  int **m = malloc({self.slip('n', 'w')} * sizeof *m); if (!m) abort();",
            f"  for (int i = 0; i {self.slip('<', '<=')} n; i++) {{",
            f"    m[i] = malloc({self.slip('w', '(w - 1)', 'n')} * sizeof **m); if (!m[i]) abort();",
            f"    for (int j = 0; j {self.slip('<', '<=')} w; j++) m[i][j] = {self.slip('0', 'm[i][j - 1]')};",
            "  }",
            "  int r = __VERIFIER_nondet_int();",
            f"  if (r >= 0 && r {self.slip('<', '<=')} n) m[r][{self.slip('0', 'w')}] = 1;",
            f"  for (int i = {self.slip('0', '1')}; i < n; i++) free(m[i]);",
            f"  {self.slip('free(m);', ';')}",
            "  return 0;",
            "}",
            "",
        ]

    def ring(self) -> list[str]:
        return [
            "struct ring { struct node *at[5]; int first, count; };",
            "int main(void) {",
            "  struct ring own; struct ring *r = &own; r->first = 0; r->count = 0;",
            "  while (__VERIFIER_nondet_int()) {",
            f"    if (__VERIFIER_nondet_int()) {{ if (r->count {self.slip('< 5', '<= 5')}) "
            f"{{ r->at[(r->first + r->count) {self.slip('% 5', '% 6', '')}] = make(1); r->count++; }} }}",
            f"    else if (r->count {self.slip('> 0', '>= 0')}) {{ free(r->at[r->first]); "
            f"r->first = {self.slip('(r->first + 1) % 5', 'r->first + 1')}; {self.slip('r->count--;', ';')} }}",
            "  }",
            f"  while (r->count > 0) {{ free(r->at[r->first]); r->first = (r->first + 1) % 5; "
            f"{self.slip('r->count--;', 'r->count -= 2;')} }}",
            "  return 0;",
            "}",
            "",
        ]

    def program(self) -> str:
        parts = (self.vector, self.table, self.stack, self.trie, self.rows, self.ring)
        return HEADER + "\n".join(self.random.choice(parts)())


def program(seed: int) -> str:
    return Blocks(seed).program()
