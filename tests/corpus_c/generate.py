"""Random list and tree programs in C, for comparing the interpreter with what a compiler makes of them.

Every program is a function `int program_K(void)` that takes its inputs from `__VERIFIER_nondet_int`. Loops are
bounded by fuel, numbers stay small, memory is initialised; nothing else keeps the programs from going wrong.
"""

from __future__ import annotations

import random

HEADER = """\
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

typedef struct node {
    int data;
    struct node *next, *prev;
    struct { short low; unsigned char high[2]; } part;
    union { int number; struct node *child; } u;
} node_t;

struct pair { node_t *first; int second; };

static node_t *root;
static int table[4] = { 1, [2] = 5 };
static int fuel;

static node_t *create(int value, node_t *next) {
    node_t *n = malloc(sizeof *n);
    if (!n)
        abort();
    memset(n, 0, sizeof(node_t));
    n->data = value;
    n->next = next;
    return n;
}

static int length(const node_t *n) {
    return n == NULL || fuel-- <= 0 ? 0 : 1 + length(n->next);
}

static void insert(node_t **where, int value) {
    while (*where && (*where)->data < value && fuel-- > 0)
        where = &(*where)->next;
    *where = create(value, *where);
}

static struct pair make_pair(node_t *n, int value) {
    struct pair result = { .second = value, .first = n };
    return result;
}

static node_t *with_child(node_t *n, node_t *child) {
    if (n)
        n->u.child = child;
    return n ? n : child;
}

static int twice(int value) { return value % 50 * 2; }
static int less(int value) { return value - 1; }
static int (*const operations[2])(int) = { twice, less };
"""

STUB = """\
#include <stdio.h>
#include <stdlib.h>
static FILE *inputs;
int __VERIFIER_nondet_int(void) { int value; return fscanf(inputs, "%d", &value) == 1 ? value : 0; }
int main(int argc, char **argv) {
    inputs = fopen(argv[2], "r");
    int status = programs[atoi(argv[1])]();
    fflush(stdout);
    _Exit(status & 127);
}
"""


class Generator:
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pointers = ["p", "q", "r", "root"]
        self.numbers = ["i", "j", "k"]
        self.depth = 0

    def program(self, name: str) -> str:
        lines = [
            f"int {name}(void) {{",
            "    node_t *p = NULL, *q = NULL, *r = NULL, **link = &p;",
            "    int i = 0, j = 1, k = -1;",
            "    node_t local = { 7, .part = { .high = { 1 } } };",
            "    struct pair pair = { 0 };",
            "    fuel = 40;",
        ]
        lines += self.block(self.random.randint(6, 14), "    ")
        lines += ['    printf("%d %d %d\\n", i, j, k);', "    return i & 63;", "}"]
        return "\n".join(lines)

    def block(self, count: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(indent)
        return lines

    def statement(self, indent: str) -> list[str]:
        choice = self.random.random()
        if self.depth < 2 and choice < 0.3:
            self.depth += 1
            lines = self.compound(indent)
            self.depth -= 1
            return lines
        return [indent + self.simple()]

    def compound(self, indent: str) -> list[str]:
        inner = self.block(self.random.randint(1, 3), indent + "    ")
        kind = self.random.randrange(6)
        condition = self.condition()
        if kind == 0:
            return [f"{indent}if ({condition}) {{", *inner, f"{indent}}}"]
        if kind == 1:
            other = self.block(self.random.randint(1, 2), indent + "    ")
            return [f"{indent}if ({condition}) {{", *inner, f"{indent}}} else {{", *other, f"{indent}}}"]
        if kind == 2:
            return [f"{indent}while (fuel-- > 0 && ({condition})) {{", *inner, f"{indent}}}"]
        if kind == 3:
            step = self.random.choice(["i++", "j--", "p = p ? p->next : q", "k += 2"])
            leave = self.random.choice(["break", "continue"])
            guard = f"{indent}    if ({self.condition()}) {leave};"
            return [
                f"{indent}for (; {condition}; {step}) {{",
                f"{indent}    if (fuel-- <= 0) break;",
                guard,
                *inner,
                f"{indent}}}",
            ]
        if kind == 4:
            return [f"{indent}do {{", *inner, f"{indent}}} while (fuel-- > 0 && ({condition}));"]
        case = [f"{indent}case {n}: {self.simple()}" + self.random.choice([" break;", ""]) for n in (0, 1, -1)]
        number = self.random.choice(self.numbers)
        return [f"{indent}switch ({number}) {{", *case, f"{indent}default: {self.simple()}", f"{indent}}}"]

    def pointer(self) -> str:
        return self.random.choice(self.pointers)

    def read(self, member: str, default: str) -> str:
        """A member of a node, most often guarded."""
        p = self.pointer()
        return f"{p}->{member}" if self.random.random() < 0.06 else f"({p} ? {p}->{member} : {default})"

    def guarded(self, pointer: str, statement: str) -> str:
        return statement if self.random.random() < 0.06 else f"if ({pointer}) {statement}"

    def store(self, value: str) -> str:
        """A pointer variable or member gets the value."""
        p = self.pointer()
        member = self.random.choice(["next", "prev", "u.child"])
        if self.random.random() < 0.4:
            return self.guarded(p, f"{p}->{member} = {value};")
        return f"{self.random.choice([p, p, p, '*link', 'pair.first'])} = {value};"

    def source(self) -> str:
        """A pointer value."""
        p, q, n = self.pointer(), self.pointer(), self.number()
        return self.random.choice(
            [
                p,
                p,
                self.read("next", "NULL"),
                self.read("prev", q),
                "NULL",
                *([f"create({n}, {p})"] * 4),
                "&local",
                self.read("next", q),
                "*link",
                "pair.first",
                f"(k = {n} % 100, {p})",
                f"with_child({p}, {q})",
                "calloc(1, sizeof(node_t))",
                self.read("u.child", "NULL"),
            ]
        )

    def number(self) -> str:
        p, n = self.pointer(), self.random.choice(self.numbers)
        return self.random.choice(
            [
                n,
                n,
                str(self.random.randint(-3, 9)),
                "__VERIFIER_nondet_int() % 8",
                self.read("data", n),
                "pair.second",
                f"({p} ? {p}->data : {n})",
                f"table[{n} & 3]",
                self.read("part.low", "3"),
                f"length({p})",
                f"operations[{n} & 1]({n})",
                f"({p} != NULL)",
                f"!{n}",
                f"(int)sizeof(*{p})",
                f"({{ int t = {n} % 7; t * t; }})",
                f"({n} < 3 || {self.read('data', '2')} > 1)",
                f"~{n}",
                self.read("part.high[1]", n),
                f"(int)((unsigned){n} << 3 >> 2) % 50",
                f"({n} ?: 4)",
                f"(char)({n} * 77)",
            ]
        )

    def condition(self) -> str:
        p, q = self.pointer(), self.pointer()
        n, m = self.number(), self.number()
        return self.random.choice(
            [
                p,
                f"!{p}",
                f"{p} != {q}",
                f"{p} == {q}",
                f"{n} < {m}",
                f"{n} == {m}",
                f"{n} >= 2",
                "__VERIFIER_nondet_int()",
                f"{p} && {p}->next",
                f"{p} != NULL && {p}->data < {n}",
                f"({p} = {q}) != NULL",
                f"!{p} || {p}->data",
            ]
        )

    def simple(self) -> str:
        p, q, n = self.pointer(), self.pointer(), self.random.choice(self.numbers)
        kind = self.random.random()
        if kind < 0.45:
            return self.store(self.source())
        if kind < 0.6:
            return f"{n} = ({self.number()} + {self.number()}) % 1000;"
        if kind < 0.7:
            return self.release(p)
        return self.random.choice(
            [
                self.guarded(p, f"{p}->data = {self.number()} % 100;"),
                f"insert(&{p}, {self.number()});",
                self.guarded(p, f"link = &{p}->next;"),
                f"link = &{p};",
                f"if ({p} && {q}) *{p} = *{q};",
                self.guarded(p, f"local = *{p};"),
                f"{n} = {self.number()} % 1000;",
                self.guarded(p, f"{p}->part.low = {self.number()};"),
                f"table[{n} & 3] = {self.number()} % 100;",
                self.guarded(p, f"{p}->part.high[{n} & 1] += {n};"),
                f"pair = make_pair({p}, {n});",
                f'printf("{n}=%d\\n", {n});',
                f"if (k < 0) assert({self.condition()});",
                f"{n}++;",
                f"--{n};",
                "table[i & 3] = j++;",
                "k = --j;",
                "p = (q = r);",
                f"{n} = {n} * 3 % 1000;",
                f"{n} ^= {self.number()}, {n} %= 1000;",
                f"{n} = -{n} / 2;",
                f"{{ node_t *{p}x = {self.source()}; if ({p}x) {p}x->data = 1; }}",
                f"{p} = p ? p : q;",
                self.guarded(p, f"{p}->u.number = 0;"),
                f"{n} = table[({self.number()}) & 7 & {self.random.choice('3337')}];",
            ]
        )

    def release(self, p: str) -> str:
        if self.random.random() < 0.3:
            return f"free({p});"
        return f"if ({p} != &local) free({p}); {p} = NULL;"


def generate(seed: int, count: int) -> str:
    """A file with `count` programs."""
    parts = [HEADER]
    parts += [Generator(seed * 1000 + k).program(f"program_{k}") for k in range(count)]
    return "\n\n".join(parts) + "\n"


def runnable(seed: int, count: int) -> str:
    """The same file with a main function: `./a.out K INPUTS` runs program K."""
    names = ", ".join(f"program_{k}" for k in range(count))
    return generate(seed, count) + f"\nstatic int (*const programs[])(void) = {{ {names} }};\n" + STUB
