"""Random small programs over lists and trees, with unbounded loops, that go wrong now and then."""

from __future__ import annotations

import random

TYPES = {
    "list": ["next"],
    "doubly": ["next", "prev"],
    "tree": ["left", "right"],
}

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
struct inner {{ int tag; struct node *link; }};
struct node {{ int data; {fields} struct inner in; }};
struct node *g;
static struct node *make(void) {{
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  {init}
  return n;
}}
static void push(struct node **l) {{ struct node *n = make(); n->{first} = *l; *l = n; }}
static struct node *pop(struct node **l) {{
  struct node *n = *l;
  if (n) {{ *l = n->{first}; n->{first} = NULL; }}
  return n;
}}
static void drop(struct node *n) {{ free(n); }}
static struct inner wrap(struct node *n, int tag) {{ struct inner r; r.tag = tag; r.link = n; return r; }}
"""


class Generator:
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kind = self.random.choice(list(TYPES))
        self.fields = TYPES[self.kind]
        self.first = self.fields[0]
        self.depth = 0
        self.pointers = ["p", "q", "l"]
        self.rich = self.random.random() < 0.5
        if self.rich:
            self.pointers += ["g", "s"]

    def program(self) -> str:
        init = "memset(n, 0, sizeof *n);" if self.random.random() < 0.3 else self.plain_init()
        fields = " ".join(f"struct node *{f};" for f in self.fields)
        lines = [HEADER.format(fields=fields, init=init, first=self.first)]
        lines.append("int main(void) {")
        lines.append("  struct node *p = NULL, *q = NULL, *l = NULL; int i = 0, flag = 0;")
        if self.rich:
            lines.append("  struct node local = { 0 }; struct node *s = &local; struct inner w = { 0, NULL };")
        body = self.block(self.random.randint(4, 9), "  ")
        if self.random.random() < 0.8:
            body += [f"  while (l) {{ p = l->{self.first}; free(l); l = p; }}"]
        return "\n".join([*lines, *body, "  return 0;", "}", ""])

    def plain_init(self) -> str:
        parts = [f"n->{f} = NULL;" for f in [*self.fields, "in.link"] if self.random.random() < 0.95]
        return " ".join([*parts, "n->data = 0; n->in.tag = 1;"])

    def block(self, count: int, indent: str) -> list[str]:
        return [line for _ in range(count) for line in self.statement(indent)]

    def statement(self, indent: str) -> list[str]:
        if self.depth < 2 and self.random.random() < 0.35:
            self.depth += 1
            inner = self.block(self.random.randint(1, 3), indent + "  ")
            self.depth -= 1
            if self.random.random() < 0.5:
                head = f"while ({self.loop_condition()}) {{"
                return [indent + head, *inner, indent + "}"]
            lines = [f"{indent}if ({self.condition()}) {{", *inner]
            if self.random.random() < 0.3:
                lines += [indent + "} else {", *self.block(1, indent + "  ")]
            return [*lines, indent + "}"]
        return [indent + self.guarded()]

    def loop_condition(self) -> str:
        x = self.random.choice(self.pointers)
        return self.random.choice(
            ["__VERIFIER_nondet_int()", f"{x} && __VERIFIER_nondet_int()", f"{x} != NULL", "i < 3", self.condition()]
        )

    def condition(self) -> str:
        x, y = self.random.choice(self.pointers), self.random.choice(self.pointers)
        f = self.random.choice(self.fields)
        return self.random.choice(
            [
                "__VERIFIER_nondet_int()",
                f"{x} == {y}",
                f"{x} != {y} && {x}",
                f"{x} && {x}->{f}",
                f"!{x}",
                f"{x} && {x}->data == 0",
                "flag",
                "i > 1",
                f"{x} && {x}->{f} == {y}",
            ]
        )

    def guarded(self) -> str:
        x = self.random.choice(self.pointers)
        text, needs = self.simple(x)
        if needs and self.random.random() < 0.8:
            return f"if ({x}) {{ {text} }}"
        return text

    def simple(self, x: str) -> tuple[str, bool]:
        """A statement, and whether it dereferences x."""
        choose = self.random.choice
        y, f, h = choose(self.pointers), choose(self.fields), choose(self.fields)
        options = [
            (f"{x} = {y};", False),
            (f"{x} = NULL;", False),
            (f"{x} = make();", False),
            (f"{x} = calloc(1, sizeof *{x}); if (!{x}) abort();", False),
            (f"push(&{x});", False),
            ("push(&l);", False),
            ("push(&l);", False),
            (f"{y} = pop(&{x});", False),
            (f"{x} = {x}->{f};", True),
            (f"{y} = {x}->{f};", True),
            (f"{x}->{f} = {y};", True),
            (f"{x}->{f} = NULL;", True),
            (f"{x}->data = {choose(['0', '1', 'i'])};", True),
            (f"assert({x}->data == 0);", True),
            (f"{y} = {x}; {x} = {x}->{f}; free({y}); {y} = NULL;", True),
            (f"free({x}); {x} = NULL;", False),
            (f"drop({x}); {x} = {y};", False),
            ("i++;", False),
            ("flag = !flag;", False),
            (f"flag = {x} == {y};", False),
            (f"if ({x}->{f}) {x}->{f}->{h} = {y};", True),
            (f"{y} = {x}->{f} ? {x}->{f}->{h} : NULL;", True),
            ("if (i > 2 && flag) __VERIFIER_error();", False),
        ]
        if self.rich:
            options += [
                (f"local = *{x};", True),
                (f"*{x} = local;", True),
                (f"if ({x}->{f}) *{x} = *{x}->{f};", True),
                (f"w = wrap({x}, {choose('01')});", False),
                (f"{x}->in = w;", True),
                (f"{x} = w.link;", False),
                ("if (w.tag == 1) w.link = NULL;", False),
                (f"{x}->in.link = {y};", True),
                (f"{{ struct node **pp = &{x}->{f}; if (*pp) pp = &(*pp)->{f}; *pp = {y}; }}", True),
                (f"{{ struct node **pp = &{x}; while (*pp) pp = &(*pp)->{f}; *pp = make(); }}", False),
                (f"{{ struct inner *ip = &{x}->in; ip->link = {y}; if (ip->tag == 1) ip->tag = 0; }}", True),
                (f"memset({x}, 0, sizeof *{x});", True),
                (f"memcpy({x}, &local, sizeof local);", True),
                (f"{{ struct node inside; inside.{f} = {y}; {x} = &inside; }}", False),
                ("s = &local;", False),
            ]
        return choose(options)


def program(seed: int) -> str:
    return Generator(seed).program()
