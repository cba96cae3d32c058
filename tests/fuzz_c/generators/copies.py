"""Random programs that copy memory: unions, `memcpy`, structures assigned through casts, `realloc` to another type.

Cells are written as one type and read as another, of other width or sign, and what follows depends on the number or
the pointer that is read.
"""

from __future__ import annotations

import random

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int data; struct node *next; };
struct ints { int a, b; struct node *link; };
struct longs { long v; struct node *link; };
struct small { short s[2]; unsigned char c[4]; struct node *link; };
struct unsign { unsigned a, b; struct node *link; };
union word { int i; unsigned u; long l; short s[4]; unsigned char c[8]; struct node *p; };
static struct node *make(int d) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->data = d; n->next = NULL;
  return n;
}
static void drop(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
"""
RECORDS = {"in": "ints", "lo": "longs", "sm": "small", "un": "unsign"}
NUMBERS = {
    "in": ("a", "b"),
    "lo": ("v",),
    "sm": ("s[0]", "s[1]", "c[0]", "c[3]"),
    "un": ("a", "b"),
    "w": ("i", "u", "l", "s[0]", "s[1]", "c[0]", "c[7]"),
}
VALUES = ("0", "1", "-1", "2", "255", "256", "65535", "-32768", "x", "x & 1", "1 << 16", "n")


class Copies:
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"copies {seed}")
        self.depth = 0

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def record(self) -> tuple[str, str]:
        """A record in a variable or in the heap: its name in expressions, and the name of its kind."""
        name = self.choose(*RECORDS)
        return (f"h{name}->" if self.random.random() < 0.5 else f"{name}."), name

    def number(self) -> str:
        if self.random.random() < 0.3:
            return f"w.{self.choose(*NUMBERS['w'])}"
        if self.random.random() < 0.15:
            return self.choose("n", "f", "l->data")
        where, name = self.record()
        return where + self.choose(*NUMBERS[name])

    def pointer(self) -> str:
        if self.random.random() < 0.2:
            return "w.p"
        return self.choose("l", "p", f"{self.record()[0]}link")

    def address(self) -> str:
        name = self.choose(*RECORDS)
        return f"h{name}" if self.random.random() < 0.5 else f"&{name}"

    def copy(self) -> str:
        here, there = self.address(), self.address()
        kind = self.choose(*RECORDS.values())
        size = self.choose(f"sizeof(struct {kind})", "sizeof(struct ints)", "8", "4", "2")
        other = self.choose(*RECORDS)
        return self.choose(
            f"memcpy({here}, {there}, {size});",
            f"memmove({here}, {there}, {size});",
            f"*(struct {kind} *){here} = *(struct {kind} *){there};",
            f"{other} = *h{other};",
            f"*h{other} = {other};",
            f"memset({here}, {self.choose('0', '255', '1')}, {size});",
            f"memcpy(&w, {here}, {self.choose('8', '4', 'sizeof w')});",
            f"memcpy({here}, &w, {self.choose('8', '4', 'sizeof w')});",
            f"h{other} = realloc(h{other}, sizeof *h{other} + {self.choose('0', '8')}); if (!h{other}) abort();",
            f"{{ union word v = w; v.{self.choose(*NUMBERS['w'])} = {self.choose(*VALUES)}; w = v; }}",
            f"{{ {self.choose('long', 'unsigned', 'short', 'unsigned char', 'int')} t = {self.number()}; "
            f"{self.number()} = t; }}",
            f"{{ struct small *s = (struct small *){here}; "
            f"s->{self.choose(*NUMBERS['sm'])} = {self.choose(*VALUES)}; }}",
            f"{{ unsigned *v = (unsigned *){here}; n = v[{self.choose('0', '1')}] > {self.choose('1', '5')}; }}",
        )

    def condition(self) -> str:
        operator = self.choose("==", "!=", "<", "<=", ">", ">=")
        value = self.choose("0", "1", "-1", "255", "65535", "4294967295", "2", "n")
        if self.random.random() < 0.15:
            return f"{self.pointer()} {self.choose('==', '!=')} {self.choose('NULL', 'l', 'p')}"
        return f"{self.number()} {operator} {value}"

    def statement(self) -> list[str]:
        kind = self.random.random()
        if kind < 0.3:
            return [f"{self.number()} = {self.choose(*VALUES)};"]
        if kind < 0.62:
            return [self.copy()]
        if kind < 0.72:
            return [f"{self.pointer()} = {self.choose('l', 'p', 'NULL')};"]
        if kind < 0.78:
            return [f"f = {self.condition()};"]
        if kind < 0.82:
            return ["{ struct node *m = make(1); m->next = l; l = m; }"]
        if self.depth < 2 and kind < 0.93:
            self.depth += 1
            inner = [f"  {line}" for _ in range(self.random.randint(1, 3)) for line in self.statement()]
            self.depth -= 1
            return [f"{self.choose('if', 'if', 'while')} ({self.condition()}) {{", *inner, "}"]
        return [self.error()]

    def error(self) -> str:
        """Something that is wrong in some runs."""
        where = self.pointer()
        return self.choose(
            f"assert({self.condition()});",
            f"assert({self.condition()});",
            f"if ({self.condition()}) {{ struct node *bad = NULL; bad->data = 1; }}",
            f"if ({where} && {self.condition()}) {where}->data = 3;",
            f"if ({self.condition()}) drop({self.choose('l', 'p')});",
        )

    def program(self) -> str:
        lines = [
            "struct node *l = make(0), *p = NULL; int n = 0, f = 0, x = __VERIFIER_nondet_int();",
            "struct ints in = { 0, 0, NULL }; struct longs lo = { 0, NULL }; union word w; w.l = 0;",
            "struct small sm; memset(&sm, 0, sizeof sm); struct unsign un = { 1, 2, NULL };",
            *(f"struct {k} *h{n} = {self.choose(f'calloc(1, sizeof *h{n})', 'malloc(sizeof(struct ints))')};"
              for n, k in RECORDS.items()),
            "if (!hin || !hlo || !hsm || !hun) abort();",
        ]  # fmt: skip
        lines += [line for _ in range(self.random.randint(2, 7)) for line in self.statement()]
        lines += [self.error()]
        if self.random.random() < 0.9:
            lines += ["free(hin); free(hlo); free(hsm); free(hun);", "drop(l);"]
        return "\n".join([HEADER + "int main(void) {", *(f"  {line}" for line in lines), "  return 0;", "}", ""])


def program(seed: int) -> str:
    return Copies(seed).program()
