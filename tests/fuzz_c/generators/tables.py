"""Random programs with arrays, indices, function pointers, interior pointers and blocks that grow by `realloc`.

A plan that is right (fill a table, look something up, give everything back) is written in many ways; bounds, sizes,
indices and pointers are wrong now and then.
"""

from __future__ import annotations

import random

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int data; struct node *next; };
typedef int (*action)(struct node **, int);
struct vector { int *items; int length, room; };
struct entry { int key; struct node *list; action run; };
static struct node *slots[SIZE];
static int ints[SIZE];
static struct node *make(int d, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->data = d; n->next = next;
  return n;
}
static int add(struct node **l, int d) { *l = make(d, *l); return 1; }
static int take(struct node **l, int d) {
  struct node *n = *l;
  (void)d;
  if (!n) return 0;
  *l = n->next; free(n);
  return -1;
}
static int skip(struct node **l, int d) { (void)l; return d & 1; }
static const action actions[3] = { add, take, skip };
static void drop(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
static int first(const int p[]) { return p[0]; }
static int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
"""


class Tables:
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"tables {seed}")
        self.size = self.random.choice((2, 3, 4, 9))
        self.wrong = self.random.random() < 0.7

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def slip(self, right: str, *others: str) -> str:
        """The right text, or one of the others."""
        return self.choose(*others) if self.wrong and self.random.random() < 0.18 else right

    def index(self) -> str:
        s = self.size
        return self.slip(
            self.choose("0", f"{s - 1}", f"i % {s}", f"(unsigned)x % {s}", "k"), f"{s}", "i", "x", f"x % {s}"
        )

    def loop(self, *body: str) -> list[str]:
        less, start = self.slip("<", "<=", "!="), self.slip("0", "1")
        return [f"for (i = {start}; i {less} {self.slip('SIZE', 'x')}; i++) {{", *(f"  {line}" for line in body), "}"]

    def lists(self) -> list[str]:
        """A table of lists that are filled and freed."""
        fill = self.choose(
            f"add(&slots[{self.index()}], x);", f"slots[{self.index()}] = make(x, slots[{self.index()}]);"
        )
        body = ["while (__VERIFIER_nondet_int()) {", "  i++; x = __VERIFIER_nondet_int();", "  if (i > 5) i = 0;",
                f"  k = {self.slip(f'i > {self.size - 1} ? 0 : i', 'i', 'x & 3')};", f"  {fill}", "}"]  # fmt: skip
        body += [f"if (slots[{self.index()}]) x = slots[{self.index()}]->data;"] if self.random.random() < 0.4 else []
        return [*body, *self.loop("drop(slots[i]);", *([] if self.wrong else ["slots[i] = NULL;"]))]

    def numbers(self) -> list[str]:
        """Numbers in an array, in a block or on the stack, and a property of them."""
        where = self.choose("ints", "own", "block")
        value = self.choose("i", "0", "x", "i + 1")
        test = {"i": "== i", "0": "== 0", "x": "== x", "i + 1": "> 0"}[value]
        return [
            f"int *block = malloc({self.slip('SIZE', 'SIZE - 1')} * sizeof *block); if (!block) abort();",
            f"int own[SIZE]; {self.slip('memset(own, 0, sizeof own);', ';')} memset(block, 0, SIZE * sizeof *block);",
            *self.loop(f"{where}[i] = {value};"),
            *self.loop(f"assert({where}[i] {self.slip(test, '== 0', '!= 1', '< SIZE')});"),
            f"assert({where}[{self.index()}] {self.choose('>= 0', '== 0', '<= SIZE', '== x')});",
            f"x = {self.choose('first', 'first')}({self.slip(where, 'x ? NULL : own', 'NULL')});",
            f"x = sum({where}, {self.slip('SIZE', 'SIZE + 1')});",
            self.slip("free(block);", "free(block + 1);", ";"),
        ]

    def actions(self) -> list[str]:
        """Function pointers in variables, arrays and records."""
        record = f"struct entry e = {{ 1, NULL, {self.choose('add', 'skip', 'actions[1]')} }};"
        call = self.choose("c += act(&l, x);", "c += actions[(unsigned)x % 3](&l, x);", "c += e.run(&e.list, x);",
                           "act = actions[k]; c += act(&l, k);", "if (e.run) c += e.run(&l, x);")  # fmt: skip
        own = self.slip("take", "NULL")
        switch = f"switch (x) {{ case 0: act = take; break; case 1: e.run = {own}; break; default: act = add; }}"
        check = self.choose("assert(c == 0 || l);", "assert(!l == (c == 0));", "if (c > 0) x = l->data;", ";")
        return [
            f"action act = {self.slip('skip', 'NULL')}; struct node *l = NULL; int c = 0; {record}",
            "while (__VERIFIER_nondet_int()) {",
            f"  x = __VERIFIER_nondet_int(); k = x & 1; {switch if self.random.random() < 0.6 else ''}",
            f"  {call}",
            "}",
            *([check] if self.random.random() < 0.6 else []),
            "drop(l);",
            self.slip("drop(e.list);", ";", "drop(l);"),
        ]

    def vector(self) -> list[str]:
        """A block that grows."""
        grown = self.slip("v.room * 2", "v.room", "v.room + 1")
        item = self.slip("v.items[v.length++] = x;", "v.items[++v.length] = x;")
        return [
            "struct vector v = { NULL, 0, 2 }; v.items = malloc(v.room * sizeof *v.items); if (!v.items) abort();",
            f"int *inside = v.items{self.slip('', ' + 1')};",
            "while (__VERIFIER_nondet_int()) {",
            f"  if (v.length {self.slip('==', '>', '>=')} v.room) {{",
            f"    v.room = {grown};",
            f"    v.items = realloc({self.slip('v.items', 'inside', 'v.items + 1')}, v.room * sizeof *v.items);",
            f"    if (!v.items) abort(); {self.slip('inside = v.items;', ';')}",
            "  }",
            f"  x = {self.choose('1', '__VERIFIER_nondet_int()', 'v.length')}; {item}",
            "}",
            f"if (v.length) {{ x = {self.slip('v.items', 'inside')}[0]; }}",
            f"if (v.length) assert(x {self.slip('== x', '== 1', '>= 0')});",
            f"free({self.slip('v.items', 'inside')});",
        ]

    def links(self) -> list[str]:
        """Pointers to pointers, and nodes in arrays."""
        return [
            "struct node pool[SIZE]; struct node *l = NULL, **end = &l; struct node *p;",
            *self.loop(f"pool[i].data = i; pool[i].next = {self.slip('NULL', 'l', '&pool[i + 1]')};",
                       f"*end = &pool[{self.slip('i', 'k', '0')}]; end = &pool[i].next;"),
            f"*end = {self.slip('NULL', 'l', 'make(1, NULL)')};",
            "for (p = l; p; p = p->next) { x = p->data; if (x > 100) break; }",
            self.slip(";", "free(l);", "drop(l);", "l = pool[SIZE - 1].next; l->data = 1;"),
            f"assert(pool[{self.index()}].data {self.choose('== 0', '>= 0', '< SIZE')});",
        ]  # fmt: skip

    def program(self) -> str:
        body = self.random.choice((self.lists, self.numbers, self.actions, self.vector, self.links))()
        lines = ["int i = 0, k = 0, x = __VERIFIER_nondet_int();", *body, "return 0;"]
        header = HEADER.replace("SIZE", str(self.size))
        text = "\n".join(["int main(void) {", *(f"  {line}" for line in lines), "}", ""])
        return header + text.replace("SIZE", str(self.size))


def program(seed: int) -> str:
    return Tables(seed).program()
