"""Random programs with one array of owned blocks and few pointers to them: what the attempt `owned` follows.

Blocks are put in, taken from the end, exchanged, replaced and freed; pointers to them, and to a member in them, stay
behind. They are read and compared later, beside elements: so errors concern two blocks at a time.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct job { int v; int w[2]; };
static struct job spare;
"""
SIZE = 10
"""Elements of the array: fewer would be variables each, and nothing would be followed."""


class Followed(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("followed", seed, share=0.2)

    def program(self) -> str:
        kept = self.choose("NULL", "NULL", "&spare")
        return "\n".join(
            [
                HEADER,
                f"static struct job *kept = {kept};",
                "int main(void) {",
                f"  int n = 0, s = 0, i = 0; struct job **a = {self.array()};",
                "  struct job *old = NULL, *t = NULL; int *in = NULL;",
                "  if (!a) return 0;",
                f"  while (n < {self.slip(str(SIZE), str(SIZE + 1))} && __VERIFIER_nondet_int()) {{",
                "    struct job *x = malloc(sizeof *x); if (!x) break;",
                "    x->v = n; x->w[0] = x->w[1] = 1;",
                *indented(indented(self.maybe(self.use("x")))),
                f"    a[n] = x; {self.slip('n++;', 'n += 1; a[0] = x;')}",
                *indented(indented(self.maybe(self.step()))),
                "  }",
                *indented([self.step() for _ in range(self.random.choice((0, 1, 1, 2)))]),
                *indented(self.end()),
                "  free(a);",
                *indented(self.maybe(self.use("old"))),
                "  return s & 1;",
                "}",
                "",
            ]
        )

    def array(self) -> str:
        return self.choose(f"malloc({SIZE} * sizeof *a)", f"calloc({SIZE}, sizeof *a)")

    def end(self) -> list[str]:
        free = self.choose("free(a[i]);", "t = a[i]; free(t);", f"{self.leave('a[i]')} free(a[i]);")
        taken = self.choose("free(t);", f"{self.use('t')} free(t);", f"{self.leave('t')} free(t);")
        return self.random.choice(
            (
                [f"for (i = {self.slip('0', '1')}; i {self.slip('<', '<=')} n; i++) {{ {free} {self.again('a[i]')} }}"],
                [f"while (n > {self.slip('0', '1')}) {{ t = a[--n]; {self.again('t')} {taken} {self.again('t')} }}"],
            )
        )

    def leave(self, block: str) -> str:
        """A pointer to a block, or into it, stays behind; what stayed behind before is used first, at times."""
        before = self.choose("", "", self.use("old"))
        return f"{before} " + self.choose(
            f"old = {block};", f"old = {block} + 0;", f"in = &{block}->w[1];", f"in = {block}->w;", f"kept = {block};"
        )

    def again(self, block: str) -> str:
        """Nothing; or a use that is wrong in some runs."""
        return self.slip("", self.use(block), self.use("old"), f"free({block});", "if (in) s += *in;")

    def use(self, block: str) -> str:
        other = self.choose("old", "kept", "a[0]", "t")
        both = f"if ({block} && n > 0 && {other})"
        return self.slip(
            self.choose("s++;", f"if ({block} && {block} == {other}) s++;", 'printf("%d", s);'),
            f"{both} s += {block}->v + {other}->v;",
            f"{both} {{ if ({block}->v < {other}->v) s++; }}",
            f'{both} printf("%d %d", {block}->v, {other}->w[0]);',
            f"{both} {block}->v = {other}->v;",
            f"if ({block} && {block} == {other}) {{ free({block}); {block} = NULL; }}",
            f"if (in && {block}) s += *in + {block}->v;",
            f"if (in) {{ *in = {block} ? {block}->v : 0; }}",
        )

    def step(self) -> str:
        last = self.slip("n > 0", "n >= 0")
        return self.choose(
            f"if ({last} && __VERIFIER_nondet_int()) {{ t = a[--n]; {self.leave('t')} free(t); {self.again('t')} }}",
            f"if ({last}) {{ n--; old = a[n]; free(a[n]); {self.slip('a[n] = NULL;', '', 'n++;')} }}",
            f"if (n > 1) {{ t = a[0]; a[0] = a[n - 1]; a[n - 1] = {self.slip('t', 'a[0]')}; }}",
            f"if (n > 1) {{ free(a[0]); a[0] = a[n - 1]; {self.slip('n--;', '', 'a[n - 1] = a[0];')} }}",
            f"if ({last}) {{ {self.leave('a[n - 1]')} }}",
            f"for (i = 0; i < n; i++) {{ {self.use('a[i]')} }}",
            f"i = __VERIFIER_nondet_int(); if (i >= 0 && i {self.slip('<', '<=')} n) {{ {self.use('a[i]')} }}",
            self.use("kept"),
            self.moved(),
        )

    def moved(self) -> str:
        """Elements are moved down over one that is freed, or up in front of one that is put in."""
        down = self.choose(
            f"for (; i {self.slip('<', '<=')} n - 1; i++) a[i] = a[i + 1];",
            f"memmove(a + i, a + i + 1, (n - i{self.slip(' - 1', '', ' - 2')}) * sizeof *a);",
            f"memmove(a + i, a + i + 1, ((size_t)n - i{self.slip(' - 1', '', ' - 2')}) * sizeof *a);",
            f"a[i] = a[n - {self.slip('1', '2')}];",
        )
        up = self.choose(
            f"t = a[n - 1]; for (i = n - 1; i > {self.slip('0', '1')}; i--) a[i] = a[i - 1]; a[0] = t;",
            f"t = a[n - 1]; memmove(a + 1, a, (n - {self.slip('1', '2')}) * sizeof *a); a[0] = t;",
        )
        at = f"i = __VERIFIER_nondet_int(); if (i >= 0 && i < n) {{ free(a[i]); {down} {self.slip('n--;', '')} }}"
        return self.choose(at, at, f"if (n > 1) {{ {up} }}")


def program(seed: int) -> str:
    return Followed(seed).program()
