"""Random programs in which a number decides a test, and with it whether a pointer is NULL or a block is freed.

Loops that are entered for sure on the ways where a test before them failed, and tests of one number several times: the
attempts `first rounds` and `outcomes and loads` copy such tests and leave out a branch. An interval that is too small
(a number that is cut, goes round, or is changed in between) leaves out a branch that a run takes.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips

TYPES = ("int", "unsigned", "signed char", "unsigned char", "short", "long", "unsigned long")
ORDERS = ("<", "<=", ">", ">=", "!=", "==")
CONSTANTS = ("0", "1", "2", "-1", "3", "127", "255")


class Rounds(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("rounds", seed)

    def program(self) -> str:
        lines = [
            "#include <stdlib.h>",
            "extern int __VERIFIER_nondet_int(void);",
            "struct node { struct node *next; int value; };",
            f"static {self.choose(*TYPES)} of(struct node *p) {{ return p {self.choose('!=', '!=', '==')} NULL; }}",
            "int main(void) {",
            "  struct node *first = NULL, *last = NULL, *other = NULL, *p;",
            f"  {self.choose(*TYPES)} n = __VERIFIER_nondet_int() {self.choose('', '', '% 5', '& 3')};",
            f"  {self.choose(*TYPES)} b = {self.choose('n', 'n', '0', '__VERIFIER_nondet_int() % 4')}, i;",
            *self.likely(0.8, f"  if ({self.test('n')}) return 0;"),
            f"  for (i = {self.choose('0', '1', '1', 'b')}; {self.bound()}; {self.step()}) {{",
            *self.likely(0.25, f"    if ({self.test('n', 'b', 'i')}) {self.choose('break', 'continue', 'b++')};"),
            "    p = malloc(sizeof *p);",
            "    p->next = first; p->value = 0; first = p;",
            f"    if ({self.choose('last == NULL', 'last == NULL', self.test('i'))}) last = p;",
            *self.likely(0.9, f"    if (i {self.choose('>', '>=')} 6) break;"),
            "  }",
            *self.decided(),
            *self.likely(0.4, f"  if ({self.test('n', 'b')})"),
            f"    {self.choose('last', 'last', 'last', 'first')}->value = 1;",
            "  while (first != NULL) { p = first->next; free(first); first = p; }",
            f"  if ({self.choose('other != NULL', 'other != NULL', self.test('b'))}) free(other);",
            "  return 0;",
            "}",
            "",
        ]
        return "\n".join(lines)

    def likely(self, share: float, line: str) -> list[str]:
        return [line] if self.random.random() < share else []

    def decided(self) -> list[str]:
        """Tests of one number, behind each of which a block is made or used."""
        again = self.test("b")
        changed = self.choose("", "", "", "b++; ", f"b = ({self.choose(*TYPES)})n; ", "b = -b; ")
        return [
            f"  if ({again} && of(first)) {{ other = malloc(sizeof *other); other->value = 1; }}",
            *self.likely(0.5, f"  {changed}"),
            f"  if ({self.choose(again, again, self.test('b'))} && {self.choose('of(first)', '!of(first)', 'i > 0')})",
            f"    {self.choose('other->value = 2', 'other->value = 2', 'last->value = 2')};",
        ]

    def test(self, *names: str) -> str:
        return f"{self.choose(*names)} {self.choose(*ORDERS)} {self.choose(*CONSTANTS)}"

    def bound(self) -> str:
        return f"i {self.choose('<', '<=', '<=', '!=')} {self.choose('n', 'n', 'n', 'b', '2')}"

    def step(self) -> str:
        return self.choose("i++", "i++", "i++", "i += 2", "++i")


def program(seed: int) -> str:
    return Rounds(seed).program()
