"""Random programs with results that are a constant on some ways and computed on others, and are tested by order.

What is freed depends on such tests (`passes/numbers/signs.py`): a test that is taken for an equation, or a number that
is taken for one of a smaller range, makes a block be lost or freed twice in one run in the analysis less.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips

TYPES = ("int", "unsigned", "signed char", "unsigned char", "short", "unsigned short", "long", "unsigned long")
CONSTANTS = ("-1", "0", "1", "-2", "7", "127", "128", "255", "-128")
ORDERS = ("<", "<=", ">", ">=", "<", ">=", "==", "!=")


class Results(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("results", seed)

    def program(self) -> str:
        k, m, kept, result = (self.choose(*TYPES) for _ in range(4))
        lines = [
            "#include <stdlib.h>",
            "extern int __VERIFIER_nondet_int(void);",
            f"static {result} of({k} k, {m} m) {{",
            f"  {kept} r = {self.constant()};",
            f"  if ({self.condition()}) return {self.choose('r', self.constant())};",
            *self.maybe(f"  if ({self.condition()}) r = {self.constant()}; else"),
            f"  r = {self.computed()};",
            f"  return {self.choose('r', 'r', self.computed())};",
            "}",
            "int main(void) {",
            "  char *p = malloc(1); if (!p) return 0;",
            f"  {self.choose('int', 'int', *TYPES)} r = of(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());",
            f"  if ({(test := self.test())}) free(p);",
            f"  if ({self.choose(f'!({test})', f'!({test})', self.test())}) free(p);",
            "  return 0;",
            "}",
            "",
        ]
        return "\n".join(lines)

    def constant(self) -> str:
        return self.choose("-1", "-1", *CONSTANTS)

    def condition(self) -> str:
        return f"{self.choose('k', 'm')} {self.choose(*ORDERS)} {self.choose('k', 'm', *CONSTANTS)}"

    def computed(self) -> str:
        one, two, number = self.choose("k", "m"), self.choose("k", "m"), self.choose("1", "2", "7", "31", "200")
        return self.choose(
            f"{one} % {number}", f"{one} % {number}u", f"{one} & {number}", f"{one} + {number}", f"{one} - {two}",
            f"{one} / {number}", f"{one} >> 1", f"({one} & 15) + ({two} & 7)", f"({self.choose(*TYPES)}){one}",
            f"{one} * 2", f"{one} + {two} + 1", f"-({one} & 3)", f"{one} ? {two} : {number}", f"~{one}",
        )  # fmt: skip

    def test(self) -> str:
        return f"r {self.choose(*ORDERS)} {self.constant()}"


def program(seed: int) -> str:
    return Results(seed).program()
