"""Random programs with arrays of lists and queues whose element an index or an address chooses.

An element is read, changed and written by an index, by its address, or by a pointer to one of some variables; the index
is changed in between, converted, or used after its range was checked.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
struct queue { struct node *first, *last; int n; };
static struct node *make(struct node *l, int key) {
  struct node *n = malloc(sizeof *n); if (!n) abort();
  n->next = l; n->key = key; return n;
}
static void drop(struct node *l) { while (l) { struct node *t = l->next; free(l); l = t; } }
static void put(struct queue *q, int key) {
  struct node *n = make(NULL, key);
  if (q->last) q->last->next = n; else q->first = n;
  q->last = n; q->n++;
}
static void take(struct queue *q) {
  struct node *n = q->first; if (!n) return;
  q->first = n->next; if (!q->first) q->last = NULL;
  q->n--; free(n);
}
"""
INDEX_TYPES = ("int", "int", "unsigned", "unsigned char", "signed char", "long", "short")


class Chosen(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("chosen", seed, share=0.1)
        self.count = self.random.choice((2, 3, 4, 8))

    def index(self) -> str:
        """A range check, or a remainder."""
        k = self.count
        limit = self.slip(f"{k - 1}", f"{k}", f"{k + 1}")
        remainder = f"i = (unsigned)__VERIFIER_nondet_int() % {self.slip(f'{k}', f'{k + 1}')};"
        return self.choose(
            remainder,
            f"i = __VERIFIER_nondet_int(); if (i < {self.slip('0', '-1')} || i > {limit}) i = 0;",
            f"i++; if (i > {limit}) i = 0;",
            f"if (i > 0) i--; else i = {limit};",
            f"i = j; if (!(i >= 0 && i <= {limit})) return 0;" if self.wrong else remainder,
        )

    def simple(self) -> str:
        i = self.choose("i", "i", "j", "0", f"{self.count - 1}")
        guard = self.slip(f"if (a[{i}]) ", "")
        same = self.slip(i, "i", "j", "0")
        return self.choose(
            self.index(),
            "j = i;",
            "j = 0;",
            f"a[{i}] = make(a[{same}], {self.choose('1', 'i', 'j')});",
            f"{{ struct node *t = make(NULL, 2); t->next = a[{i}]; a[{same}] = t; }}",
            f"{guard}{{ struct node *t = a[{i}]; a[{same}] = t->next; free(t); }}",
            f"{guard}a[{i}]->key = {self.choose('0', 'i')};",
            f"drop(a[{i}]); a[{same}] = {self.slip('NULL', f'a[{i}]')};",
            f"{{ struct node **h = &a[{i}]; *h = make(*h, 3); }}",
            f"{{ struct node **h = &a[{i}]; if (*h) {{ struct node *t = *h; *h = t->next; free(t); }} }}",
            f"{{ struct node **h = &a[{i}]; {self.index()} *h = make(*h, 1); {self.slip('', f'a[{same}] = NULL;')} }}",
            f"{{ struct node *t = a[i]; a[i] = a[j]; a[{self.slip('j', 'i')}] = t; }}",
            f"put(&q[{i}], 1);",
            f"take(&q[{i}]);",
            f"{{ struct queue *p = &q[{i}]; put(p, 4); {self.slip('take(p);', f'free(q[{same}].first);')} }}",
            f"if (q[{i}].first) q[{same}].first->key = 3;",
            f"{{ struct node **h = k ? &x : &y; *h = make(*h, 1); {self.slip('', 'k = !k;')} "
            f"{self.slip('', 'if (k) x->key = 1;', 'y->key = 2;')} }}",
            f"{{ struct node **h = {self.choose('&x', '&y')}; if (k) h = {self.choose('&x', '&y', f'&a[{i}]')}; "
            f"if (*h) {{ struct node *t = *h; *h = {self.slip('t->next', 'NULL')}; free(t); }} }}",
            f"assert({self.slip('1', f'a[{i}] == NULL', f'!a[{i}] || a[{i}]->key != 3', 'i == j')});",
            f"if (a[i] == a[j]) {{ {self.slip('k = 1;', 'drop(a[i]); a[i] = NULL;')} }}",
        )

    def program(self) -> str:
        k, kind = self.count, self.choose(*INDEX_TYPES)
        body = []
        for _ in range(self.random.randint(3, 7)):
            head = self.choose("", "", "", "while (__VERIFIER_nondet_int()) ", "if (__VERIFIER_nondet_int()) ")
            body.append(f"{head}{{ {self.simple()} {self.simple() if head else ''} }}")
        end = self.slip(f"for (i = 0; i < {k}; i++)", f"for (i = 1; i < {k}; i++)", f"for (i = 0; i < {k - 1}; i++)")
        lines = [
            f"struct node *a[{k}] = {{ NULL }}, *x = NULL, *y = NULL; struct queue q[{k}] = {{ {{ NULL, NULL, 0 }} }};",
            f"{kind} i = 0; int j = 0, k = __VERIFIER_nondet_int();",
            *body,
            f"{end} {{ drop(a[i]); {self.slip('drop(q[i].first);', ';')} }}",
            f"drop(x); {self.slip('drop(y);', ';')}",
            "return 0;",
        ]
        return "\n".join([HEADER, "int main(void) {", *(f"  {line}" for line in lines), "}", ""])


def program(seed: int) -> str:
    return Chosen(seed).program()
