"""Random programs that give out bytes of an array: rounded sizes, numbers beside the array, what is left of it.

A number is read, rounded, compared and cut; bytes are given out by an offset that grows, from a static array, from one
in a struct, or from a block of a computed size. What is written beside the array shows by an index that was there.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
"""
TYPES = (
    "int", "int", "unsigned", "unsigned", "unsigned long", "unsigned long", "long", "unsigned char", "short",
    "signed char", "unsigned short",
)  # fmt: skip
UNSIGNED = TYPES[2:6]


class Arenas(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("arenas", seed, share=0.4)
        self.room = self.random.choice((16, 24, 64))
        self.on_heap = self.random.random() < 0.6
        self.static = self.random.random() < 0.5

    @property
    def number(self) -> str:
        return self.choose("n", "n", "m", "k")

    def rounded(self, n: str) -> str:
        mask = self.choose("7", "7", "3", "15")
        return self.choose(
            f"({n} + {self.slip(mask, '6', '0')}) & ~{self.slip(mask, '5')}",
            f"({n} + {self.slip(mask, '6')}) & -{self.slip(str(int(mask) + 1), '4', '6')}",
            f"({n} + 7) / {self.slip('8', '9', '7')} * 8",
            f"{n} | {mask}",
            f"({n} | {mask}) + 1",
            f"{n} & ~{mask}",
            f"{n} / 8 * {self.slip('8', '4', '9')}",
            f"({n} + {mask}) >> 3 << 3",
            f"{n} + (8 - {n} % 8)",
            f"{n} + (-{n} & 7)",
            f"{n} % {self.choose('8', '16', '-8', 'm', str(self.room))}",
            f"{n} & {self.choose('7', '15', str(self.room - 1), 'm')}",
            f"{n} * {self.choose('2', '3', '1')}",
            f"{n} - {self.choose('1', '8', 'm', 'n')}",
            f"{n} + {self.choose('1', '8', 'm', 'k')}",
            f"{self.choose('m', '8', '64')} - {n}",
            f"(unsigned char){n}",
            f"(short){n}",
            f"(int){n}",
            f"-{n}",
            f"~{n}",
            f"{n} ? {self.choose('n', 'm', '1')} : {self.choose('m', '8', '0')}",
            f"{n} > m ? {self.choose('n', 'm')} : {self.choose('m', 'n')}",
            f"{n} < m ? {self.choose('n', 'm')} : {self.choose('m', 'n')}",
        )

    def used(self) -> str:
        return self.choose("used", "c->used", "c->used")

    def array(self, used: str) -> tuple[str, str]:
        """An array and its length, for what is in use of it."""
        return (
            ("pool", str(self.room)) if used == "used" else ("c->data", self.choose(str(self.room), "sizeof c->data"))
        )

    def fits(self, n: str, used: str, room: str) -> str:
        """Whether n bytes are left."""
        return self.choose(
            f"{n} {self.slip('<=', '<', '<')} {room} - {used}",
            f"{used} + {n} {self.slip('<=', '<')} {room}",
            f"{used} {self.slip('<=', '<')} {room} && {n} <= {room} - {used}",
            f"!({n} > {room} - {used})",
            f"{room} - {used} >= {n}",
            f"{n} <= {room} && {used} <= {room} - {n}",
            f"{n} < {room} && {n} >= 0 && {used} + {n} <= {room}",
        )

    def given(self) -> list[str]:
        n, used = self.number, self.used()
        array, room = self.array(used)
        fill = self.choose(
            f"memset({array} + {used}, {self.choose('0', '127')}, {n});",
            f"memcpy({array} + {used}, many, {self.slip(n, f'{n} + 1', 'm')});",
            f"p = {array} + {used}; memset(p, 1, {n});",
            f"p = &{array}[{used}]; for (i = 0; i {self.slip('<', '<=')} {n}; i++) p[i] = 1;",
            f"if ({n} > 0) {array}[{used} + {n} - 1] = 9;",
            f"if ({n}) {array}[{used}] = 9;",
        )
        grow = f"{used} += {self.slip(n, n, self.number, f'{n} + 1', self.rounded(n))};"
        between = self.between() if self.random.random() < 0.4 else []
        lines = [fill, *between, grow]
        if self.random.random() < 0.2:
            lines = [grow, *between, fill.replace(used, f"{used} - {n}")]
        if self.random.random() < 0.3:
            return [f"if (!({self.fits(n, used, room)})) {self.choose('return 0;', 'break;', f'{used} = 0;')}", *lines]
        return [f"if ({self.fits(n, used, room)}) {{", *indented(lines), "}"]

    def between(self) -> list[str]:
        return [self.choose(
            f"{self.number} = {self.rounded(self.number)};",
            f"c->used = {self.choose('0', 'n', 'used', 'c->used')};",
            f"used = {self.choose('0', 'n', 'c->used')};",
            "c = d;", "d = c;", "*d = *c;", "e = *c;", "*c = e;",
            f"memset(c->data, {self.choose('0', '1')}, {self.slip('sizeof c->data', 'n')});",
            f"memcpy(c->data, d->data, {self.slip('sizeof c->data', '8', 'sizeof c->data + 8')});",
            "memcpy(c, d, sizeof *c);", "memset(c, 0, sizeof *c);",
            "set(&m, n);", "set(&n, m);", "set(w, 1);",
            "if (__VERIFIER_nondet_int()) c->used = 0;",
            "if (__VERIFIER_nondet_int()) n = m;",
            f"c->at = {self.slip('0', 'n', '3')};",
            f"w = &{self.choose('n', 'm')};", f"*w = {self.choose('n', 'm', '1', '0')};",
        )]  # fmt: skip

    def block(self) -> list[str]:
        """A block of a computed size."""
        n = self.number
        size, fill = self.choose(n, self.rounded(n)), self.choose(n, self.rounded(n), f"{n} / 8 * 8")
        if self.random.random() < 0.5:
            size = f"{n} + 8"
            fill = self.choose(f"{n} + 1", f"{n} | 7", f"({n} + 7) & ~7", f"{n} + {n} % 8", self.rounded(n))
        use = self.choose(
            f"memset(p, 0, {fill});",
            f"for (i = 0; i < {fill}; i++) p[i] = 0;",
            f"i = {fill}; while (i {self.slip('> 0', '>= 0')}) p[--i] = 0;",
            f"if ({fill} > 0) p[{fill} - 1] = 1;",
        )
        return [
            f"if ({n} >= 0 && {n} < 200) {{",
            f"  p = malloc({size}); if (!p) abort();",
            *indented(self.between() if self.random.random() < 0.3 else []),
            f"  {use}",
            "  free(p);",
            "}",
        ]

    def access(self) -> list[str]:
        n = self.number
        room = str(self.room)
        index = self.choose(n, n, self.rounded(n))
        low = self.slip(f"{index} >= 0 && ", "")
        test = f"if ({low}{index} {self.slip('<', '<=')} {room})"
        if self.random.random() < 0.25:
            test = ""
        between = self.between()[0] if self.random.random() < 0.2 else ""
        return [f"{test} {{ {between} pool[{index}] = 1; }}"]

    def show(self) -> list[str]:
        return [self.choose(
            "c->last[c->at] = 1;", "d->last[d->at] = 1;", "pool[c->used % sizeof pool] = 1;",
            f"if (c->used < {self.room}) c->data[c->used] = 1;",
            "if (used < sizeof pool) pool[used] = 2;",
        )]  # fmt: skip

    def step(self) -> list[str]:
        kind = self.random.random()
        if kind < 0.3:
            return self.given()
        if kind < 0.45:
            return [f"{self.choose('n', 'm', 'k')} = {self.rounded(self.number)};"]
        if kind < 0.6:
            return self.block()
        if kind < 0.72:
            return self.access()
        if kind < 0.8:
            return self.between()
        if kind < 0.86:
            return self.show()
        if kind < 0.93:
            operator, other = self.choose("<", "<=", ">", "==", "!="), self.choose("8", "0", "m", "n", str(self.room))
            test = self.choose(f"{self.number} {operator} {other}", "__VERIFIER_nondet_int()")
            return [f"if ({test}) {self.choose('return 0;', self.between()[0], 'n = 1;', 'n = 0;')}"]
        return [
            "for (int j = 0; j < 3; j++) {",
            f"  {self.number} = __VERIFIER_nondet_int();",
            *indented(self.given()),
            "}",
        ]

    def program(self) -> str:
        body: list[str] = []
        for _ in range(self.random.choice((1, 1, 2, 2, 3, 4))):
            body += self.step()
        kind, used = self.choose(*TYPES), f"{self.choose(*UNSIGNED)} used = 0;"
        limit = f"if (n < {self.choose('0', '1')} || n > {self.choose('100', '200', '32', str(self.room))}) return 0;"
        other = f"if (m < {self.choose('0', '1')} || m > {self.choose('8', '100')}) return 0;"
        made = "struct chunk *c = malloc(sizeof *c), *d = malloc(sizeof *d), *c1 = c, *d1 = d; if (!c || !d) abort();"
        zeroed = "memset(c, 0, sizeof *c); memset(d, 0, sizeof *d);"
        often = self.choose("0", "__VERIFIER_nondet_int()")
        before, at = f"{self.choose('long', 'char')} before; {self.choose(*TYPES)} used;", f"{self.choose(*TYPES)} at;"
        return HEADER + "\n".join([
            f"struct chunk {{ {before} char data[{self.room}]; {at} char last[8]; }};",
            f"static char pool[{self.room}], many[256];",
            *([f"static {used}"] if self.static else []),
            f"static void set({kind} *x, {self.choose(*TYPES)} v) {{ *x = v; }}",
            "static struct chunk a, b, e;",
            "int main(void) {",
            f"  {kind} n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), k = 0, *w = &k;",
            f"  {self.choose(*TYPES)} i; char *p;",
            *([] if self.static else [f"  {used}"]),
            *([f"  {limit}"] if self.random.random() < 0.7 else []),
            *([f"  {other}"] if self.random.random() < 0.6 else []),
            f"  {made} {zeroed}" if self.on_heap else "  struct chunk *c = &a, *d = &b;",
            "  memset(many, 127, sizeof many);",
            "  do {",
            *indented(indented(body)),
            f"  }} while ({often});",
            *indented(self.show()),
            *(["  free(c1); free(d1);"] if self.on_heap else []),
            "  return 0;",
            "}",
            "",
        ])  # fmt: skip


def program(seed: int) -> str:
    return Arenas(seed).program()
