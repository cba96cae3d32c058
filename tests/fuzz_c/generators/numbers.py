"""Random programs about numbers in lists: limits, flags, helpers that compare, the order of what is stored.

Each program follows a plan that is right (what is kept from a list is below a limit, its smallest number is below
all, its counter is its length), with the comparisons written in many ways; a chosen part is then said wrongly.
"""

from __future__ import annotations

import random

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { int data; int mark; struct node *next; };
static int limit = LIMIT;
static int other;
static int below(int a, int b) { return a < b; }
static int within(int a) { int r = a <= limit; return r; }
static int least(int a, int b) { if (a < b) return a; return b; }
static int sign(int a) { if (a < 0) return -1; return a > 0; }
static struct node *push(struct node *l, int d) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->data = d; n->mark = 0; n->next = l;
  return n;
}
static void drop(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
"""
OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
TYPES = ("int", "int", "int", "long", "unsigned", "short", "unsigned char", "_Bool")


class Numbers:
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"numbers {seed}")
        self.wrong = self.random.random() < 0.75
        self.flags = 0

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def test(self, left: str, operator: str, right: str) -> tuple[list[str], str]:
        """Statements before a comparison, and its text: direct, kept in a variable, or asked of a helper."""
        self.flags += 1
        name, plain = f"t{self.flags}", f"{left} {operator} {right}"
        if self.random.random() < 0.4:
            return [], plain
        kind = self.choose("flag", "negated", "branch", "helper", "copy", "difference", "sign")
        if kind == "flag":
            return [f"{self.random.choice(TYPES[:4])} {name} = {plain};"], name
        if kind == "negated":
            return [f"int {name} = !({left} {NEGATED[operator]} {right});"], f"{name} != 0"
        if kind == "branch":
            return [f"int {name} = 0;", f"if ({plain}) {name} = 1;"], f"{name} == 1"
        if kind == "helper" and operator in ("<", ">="):
            return [f"int {name} = below({left}, {right});"], name if operator == "<" else f"!{name}"
        if kind == "copy":
            return [f"{self.random.choice(TYPES)} {name} = {left};"], f"{name} {operator} {right}"
        if kind == "difference":
            return [f"long {name} = (long){left} - {right};"], f"{name} {operator} 0"
        if kind == "sign":
            return [f"int {name} = sign({left}) * 2 + 1;"], f"{name} {operator} {right}"
        return [], plain

    def operator(self, right: str) -> str:
        """The operator, or another one."""
        return self.choose(*OPERATORS) if self.wrong and self.random.random() < 0.25 else right

    def bound(self) -> str:
        return self.choose("limit", "limit", "b", "b", str(self.random.choice((0, 1, 3, 12))), "other", "limit + 1")

    def check(self, before: list[str], condition: str) -> list[str]:
        error = self.random.random()
        if error < 0.5:
            return [*before, f"assert({condition});"]
        if error < 0.7:
            return [*before, f"if (!({condition})) reach_error();"]
        return [*before, f"if (!({condition})) {{ struct node *bad = NULL; bad->data = 1; }}"]

    def filtered(self) -> list[str]:
        """A list of numbers that passed a test, and the same test on all of them."""
        operator, bound = self.choose(*OPERATORS[:4]), self.bound()
        before, test = self.test("x", operator, bound)
        inverse, failed = self.test("x", NEGATED[operator], bound)
        keep = self.random.choice(([*before, f"if ({test}) l = push(l, x);"],
                                   [*inverse, f"if ({failed}) continue;", "l = push(l, x);"],
                                   [*before, f"if (!({test})) break;", "l = push(l, x);"]))  # fmt: skip
        after, again = self.test("p->data", self.operator(operator), self.bound() if self.lapse(0.2) else bound)
        return [
            *self.loop(["int x = __VERIFIER_nondet_int();", *keep]),
            *self.change(),
            *self.walk(self.check(after, again)),
        ]

    def smallest(self) -> list[str]:
        """The smallest number of a list, and that none is smaller."""
        before, test = self.test("p->data", self.operator("<"), "m")
        step = self.random.choice(([*before, f"if ({test}) m = p->data;"], ["m = least(m, p->data);"],
                                   [*before, f"m = ({test}) ? p->data : m;"]))  # fmt: skip
        after, again = self.test("m", self.operator("<="), "p->data")
        return [
            *self.loop(["l = push(l, __VERIFIER_nondet_int());"]),
            "int m = l ? l->data : 0;",
            *self.walk(step),
            *self.change(),
            *self.walk(self.check(after, again)),
        ]

    def counted(self) -> list[str]:
        """A counter that equals the length of a list."""
        kind = self.random.choice(TYPES)
        step, back = self.choose("c++;", "c += 1;", "c = c + 1;"), self.choose("c--;", "c -= 1;", "c++;")
        limit = f"if (c {self.operator('<')} {self.random.choice((1, 2, 3, 13))}) " if self.lapse(0.5) else ""
        return [
            f"{kind} c = 0;",
            *self.loop([f"{limit}{{ l = push(l, 0); {step} }}"]),
            *self.walk([back]),
            *self.check([], f"c {self.operator('==')} 0"),
        ]

    def inserted(self) -> list[str]:
        """Numbers put into their places, and that each is at most the next."""
        before, test = self.test("q->next->data", self.operator("<"), "x")
        after, again = self.test("p->data", self.operator("<="), "p->next->data")
        checked = ["if (p->next) {", *(f"  {line}" for line in self.check(after, again)), "}"]
        return [
            *self.loop(
                [
                    "int x = __VERIFIER_nondet_int();",
                    f"if (!l || x {self.operator('<=')} l->data) {{ l = push(l, x); continue; }}",
                    "struct node *q = l;",
                    "while (q->next) {",
                    *(f"  {line}" for line in before),
                    f"  if (!({test})) break;",
                    "  q = q->next;",
                    "}",
                    "q->next = push(q->next, x);",
                ]
            ),
            *self.walk(checked),
        ]

    def marked(self) -> list[str]:
        """Marks on the nodes that pass a test; what is marked passes it again, what is not does not."""
        operator, bound = self.choose(*OPERATORS), self.bound()
        before, test = self.test("p->data", operator, bound)
        mark = self.choose("1", "2", "other", "p->data")
        after, again = self.test("p->data", self.operator(operator), bound)
        return [
            *self.loop(["l = push(l, __VERIFIER_nondet_int());"]),
            *self.walk([*before, f"if ({test}) p->mark = {mark};"]),
            *self.change(),
            *self.walk(self.check(after, self.choose(f"!p->mark || ({again})", f"p->mark || !({again})"))),
        ]

    def lapse(self, share: float) -> bool:
        return self.random.random() < share

    def loop(self, body: list[str]) -> list[str]:
        head = self.choose("while (__VERIFIER_nondet_int()) {", "for (int i = 0; i < n; i++) {")
        return [head, *(f"  {line}" for line in body), "}"]

    def walk(self, body: list[str]) -> list[str]:
        return ["for (p = l; p; p = p->next) {", *(f"  {line}" for line in body), "}"]

    def change(self) -> list[str]:
        """What may happen between: most often nothing."""
        if not self.wrong or self.lapse(0.6):
            return []
        return [self.choose("limit = __VERIFIER_nondet_int();", "if (n > 3) limit--;", "b = b + 1;",
                            "if (l) l->data++;", "other = limit;",
                            "if (l && l->next) l->next->data = b;", "l = push(l, b);")]  # fmt: skip

    def program(self) -> str:
        body = self.random.choice(
            (self.filtered, self.filtered, self.smallest, self.counted, self.inserted, self.marked)
        )()
        start = [
            "struct node *l = NULL, *p = NULL;",
            f"int b = {self.choose('0', '5', 'limit', '__VERIFIER_nondet_int()', 'limit * 2', 'limit - 1')};",
            "int n = __VERIFIER_nondet_int();",
        ]
        if self.lapse(0.3):
            start.append(
                self.choose("limit = __VERIFIER_nondet_int();", "other = __VERIFIER_nondet_int();", "other = b;")
            )
        if self.lapse(0.3):
            start.append("if (b < 0 || b > 100) return 0;")
        end = [] if self.lapse(0.1) else ["drop(l);"]
        lines = [f"  {line}" for line in (*start, *body, *end, "return 0;")]
        header = HEADER.replace("LIMIT", self.choose("0", "1", "7", "100", "-3"))
        return "\n".join([header + "int main(void) {", *lines, "}", ""])


def program(seed: int) -> str:
    return Numbers(seed).program()
