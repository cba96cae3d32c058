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

FEATURES = """\
typedef void (*action)(struct node **);
static void add(struct node **l) {{ push(l); }}
static void remove_first(struct node **l) {{ free(pop(l)); }}
static void nothing(struct node **l) {{ (void)l; }}
struct queue {{ struct node *front, *back; int count; }};
struct ops {{ action run; struct node *own; }};
struct bits {{ unsigned one : 1; unsigned few : 3; struct node *link; }};
static struct node *table[{size}];
static const action actions[2] = {{ add, remove_first }};
static void put(struct queue *q, struct node *n) {{
  if (q->back) q->back->{first} = n; else q->front = n;
  q->back = n; q->count++;
}}
static struct node *get(struct queue *q) {{
  struct node *n = q->front;
  if (n) {{ q->front = n->{first}; if (!q->front) q->back = NULL; }}
  return n;
}}
"""
FEATURE_LOCALS = """\
  struct queue line = { NULL, NULL, 0 }; struct ops ops = { nothing, NULL }; action act = nothing;
  struct bits bits = { 0, 0, NULL }; int k = 0; int numbers[8] = { 0 }; char buffer[20] = { 0 };
  const char *text = "abc"; struct queue *qs[2] = { &line, NULL };
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
        self.features = self.random.random() < 0.6
        self.size = self.random.choice((3, 9))

    def program(self) -> str:
        init = "memset(n, 0, sizeof *n);" if self.random.random() < 0.3 else self.plain_init()
        fields = " ".join(f"struct node *{f};" for f in self.fields)
        lines = [HEADER.format(fields=fields, init=init, first=self.first)]
        if self.features:
            lines.append(FEATURES.format(first=self.first, size=self.size))
        lines.append("int main(void) {")
        lines.append("  struct node *p = NULL, *q = NULL, *l = NULL; int i = 0, flag = 0;")
        if self.rich:
            lines.append("  struct node local = { 0 }; struct node *s = &local; struct inner w = { 0, NULL };")
        if self.features:
            lines.append(FEATURE_LOCALS)
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
        if self.features:
            options = [*options[:10], *self.feature_statements(x, y, f)]
        return choose(options)

    def feature_statements(self, x: str, y: str, f: str) -> list[tuple[str, bool]]:
        """Function pointers, arrays, structs with lists in them, bit-fields, strings, blocks that change their size."""
        index = self.random.choice(["k", "i & 1", f"(unsigned)i % {self.size}", "2", "flag", "numbers[k & 7] & 1"])
        guard = self.random.choice(["", f"if (k >= 0 && k < {self.size}) "]) if index == "k" else ""
        action = self.random.choice(["add", "remove_first", "nothing", "flag ? add : nothing", "actions[i & 1]"])
        return [
            (f"{guard}table[{index}] = {x};", False),
            (f"{guard}{x} = table[{index}];", False),
            (f"{guard}push(&table[{index}]);", False),
            (f"for (k = 0; k < {self.size}; k++) while (table[k]) remove_first(&table[k]);", False),
            (f"k = {self.random.choice(['i', '__VERIFIER_nondet_int() & 3', '1', 'line.count'])};", False),
            (f"act = {action};", False),
            (f"act(&{x});", False),
            ("act(&l);", False),
            (f"if (act == add) {x} = NULL;", False),
            ("ops.run = act; ops.run(&l);", False),
            (f"ops.own = {x};", False),
            (f"{x} = ops.own;", False),
            (f"actions[flag & 1](&{x});", False),
            (f"put(&line, {x});", False),
            ("put(&line, make());", False),
            (f"{x} = get(&line);", False),
            (f"{{ struct queue other = line; {x} = other.front; line.back = other.back; }}", False),
            (f"if (qs[flag & 1]) qs[flag & 1]->front = {x};", False),
            (f"bits.link = {x}; bits.one = 1; bits.few = i;", False),
            (f"if (bits.one) {x} = bits.link;", False),
            (f"numbers[i] = {self.random.choice(['0', 'i', 'flag'])};", False),
            (f"if (numbers[2] == 1) {x} = NULL;", False),
            ("buffer[i & 15] = 'x'; buffer[k & 31] = 'y';", False),
            (f"if (text[0] == 'a') {x} = {y}; else text = buffer;", False),
            ('text = flag ? "def" : buffer;', False),
            (f"{x} = realloc({x}, sizeof *{x} + {self.random.choice(['0', '8'])}); if (!{x}) abort();", False),
            (f"{x} = malloc(sizeof *{x} + (i & 7)); if (!{x}) abort(); memset({x}, 0, sizeof *{x});", False),
            (f"{{ void (*release)(void *) = free; release({x}); {x} = NULL; }}", False),
            ("i++;", False),
            ("i = __VERIFIER_nondet_int() & 3;", False),
            ("flag = !flag;", False),
            (f"{x}->data = k; if ({x}->data == 2) flag = 1;", True),
            (f"{{ struct node **pp = &ops.own; if (flag) pp = &{x}->{f}; *pp = {y}; }}", True),
        ]


def program(seed: int) -> str:
    return Generator(seed).program()
