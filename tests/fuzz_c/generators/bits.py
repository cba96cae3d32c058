"""Random programs with bit-fields behind pointers: what is set, copied, cleared, and read as another member.

`passes/bit_fields.py` makes bits of bytes of them. A wrong bit makes an error impossible that a run shows.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips

TYPES = ("unsigned", "unsigned", "unsigned char", "unsigned long", "_Bool", "int", "unsigned short")


class Bits(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("bits", seed)
        self.fields = [f"b{n}" for n in range(self.random.choice((2, 3, 4)))]

    def program(self) -> str:
        members = " ".join(self.member(name) for name in self.fields)
        steps = [f"  {self.step()}" for _ in range(self.random.choice((2, 3, 4, 5)))]
        loop = [f"  while (__VERIFIER_nondet_int()) {{ {self.step()} {self.step()} }}"]
        lines = [
            "#include <stdlib.h>",
            "#include <string.h>",
            "extern int __VERIFIER_nondet_int(void);",
            f"struct s {{ {self.choose('', 'char c;')} {members} {self.choose('', 'unsigned char z;', 'void *p;')} }};",
            f"union u {{ struct s s; unsigned char byte[{self.choose('1', '2')}]; }};",
            *self.maybe("static struct s kept;"),
            "int main(void) {",
            "  struct s *p = calloc(1, sizeof *p), *q = calloc(1, sizeof *q); char *end = malloc(1); int x = 0;",
            "  if (!p || !q || !end) { free(p); free(q); free(end); return 0; }",
            *steps,
            *(loop if self.random.random() < 0.3 else []),
            f"  if ({self.test()}) free(end);",
            f"  if ({self.test()}) free(end);",
            "  free(p); free(q); return 0;",
            "}",
            "",
        ]
        return "\n".join(lines)

    def member(self, name: str) -> str:
        type_ = self.choose(*TYPES)
        width = "1" if type_ == "_Bool" else self.choose("1", "1", "2", "3", "5", "7", "8")
        return f"{type_} {name} : {width};"

    def place(self) -> str:
        return f"{self.choose('p', 'p', 'q')}->{self.choose(*self.fields)}"

    def value(self) -> str:
        return self.choose(
            "0", "1", "2", "3", "-1", "255", "256", "x", f"{self.place()} + 1", self.place(), f"!{self.place()}",
            f"~{self.place()}", "__VERIFIER_nondet_int()", f"({self.place()} = {self.choose('2', '1', 'x')})",
        )  # fmt: skip

    def step(self) -> str:
        place = self.place()
        return self.choose(
            f"{place} = {self.value()};", f"{place} = {self.value()};", f"{place}++;", f"{place} |= {self.value()};",
            f"{place} ^= 1;", f"x = {self.value()};", "*q = *p;", "memset(p, 0, sizeof *p);", "*(char *)p = 5;",
            f"if ({self.test()}) {place} = {self.value()};", "((union u *)p)->byte[0] &= 6;", f"{place} <<= 1;",
        )  # fmt: skip

    def test(self) -> str:
        place = self.place()
        return self.choose(
            place, f"!{place}", f"{place} == {self.choose('0', '1', '2', '3', '-1')}", f"{place} > 1", "x == 1"
        )


def program(seed: int) -> str:
    return Bits(seed).program()
