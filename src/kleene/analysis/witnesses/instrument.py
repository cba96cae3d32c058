"""Loop invariants as assertions in the source, so that a check of the program is a check of the invariants.

Only expressions without effects are accepted: names, numbers, operators, members, balanced parentheses. Nothing of a
witness can so become a statement of the program. Lines keep their numbers.

A name may be a macro with an effect, and what looks like a loop may be a comment: the program that was read tells both
(`Asserted.is_checked`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kleene.analysis.witnesses.files import LoopInvariant
from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Error, Operation, Skip

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<operator>->|\|\||&&|[=!<>]=|[-+*/%<>!().&\[\]]))"
)
_KEYWORD = re.compile(r"\b(while|for|do)\b")
_FAILURE = (
    "({ extern void __assert_fail(const char *, const char *, unsigned int, const char *); "
    '__assert_fail("invariant", "witness", 0, "loop"); })'
)
"""The call of a failed assertion, with a declaration: the first line of a file may be one of the preprocessor's."""
_STEPS = ("++", "--")
_NEVER = ("sizeof", "typeof", "__typeof__", "asm", "__asm__", "return", "goto")


def is_plain_expression(text: str) -> bool:
    """Whether a text is an expression without effects: no call, no assignment, nothing that ends it early."""
    position, depth, after_name = 0, 0, False
    text = text.strip()
    if any(step in text for step in _STEPS):
        return False
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match["name"] in _NEVER:
            return False
        token = match["operator"] or ""
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if depth < 0 or (token == "(" and after_name):
            return False
        after_name = match["name"] is not None or token in (")", "]")
        position = match.end()
    return depth == 0 and bool(text)


@dataclass(frozen=True)
class Asserted:
    """An invariant that was put into a source, and where its assertion is there: columns count bytes from 1."""

    invariant: LoopInvariant
    line: int
    start: int
    end: int

    def is_checked(self, operations: Iterable[Operation]) -> bool:
        """Whether the operations of the file have the assertion, and nothing else at its place that has an effect."""
        own = [o for o in operations if o.place.line == self.line and self.start <= o.place.column < self.end]
        return any(isinstance(o, Error) for o in own) and all(map(_only_asks, own))


def _only_asks(operation: Operation) -> bool:
    """Whether an operation is of a condition: its parts may be kept in variables that the program does not have."""
    match operation:
        case Assume() | Skip() | Error():
            return True
        case Assign(target=Variable(name=name)) | DeclareLocal(variable=Variable(name=name)):
            return name.startswith("$")
        case EndScope(variables=variables):
            return all(variable.name.startswith("$") for variable in variables)
    return False


def with_assertions(text: str, invariants: Sequence[LoopInvariant]) -> tuple[str, list[Asserted], list[LoopInvariant]]:
    """The source with the invariants as assertions at its loops, where they are, and those that were left out."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    edits: list[tuple[int, int, str, LoopInvariant | None]] = []
    left_out = []
    for invariant in invariants:
        place = _loop(lines, starts, invariant)
        new = _edits(text, place, invariant.value) if place is not None and is_plain_expression(invariant.value) else []
        edits += [(*edit, None if number else invariant) for number, edit in enumerate(new)]
        if not new:
            left_out.append(invariant)
    made, done, asserted = "", 0, []
    for position, _, inserted, own in sorted(edits, key=lambda edit: edit[:2]):
        made, done = made + text[done:position], position
        if own is not None:
            column = len(made[made.rfind("\n") + 1 :].encode()) + 1
            asserted.append(Asserted(own, made.count("\n") + 1, column, column + len(inserted.encode())))
        made += inserted
    return made + text[done:], asserted, left_out


def _loop(lines: Sequence[str], starts: Sequence[int], invariant: LoopInvariant) -> int | None:
    """The position of the keyword of the loop."""
    number, column = invariant.location.line, invariant.location.column
    if number > len(lines):
        return None
    columns = [match.start() + 1 for match in _KEYWORD.finditer(lines[number - 1])]
    if column in columns:
        return starts[number - 1] + column - 1
    return starts[number - 1] + columns[0] - 1 if column is None and len(columns) == 1 else None


def _edits(text: str, place: int, value: str) -> list[tuple[int, int, str]]:
    """Insertions as (position, order, text) that make the loop check the expression before each iteration."""
    assertion = f"(({value}) ? (void)0 : {_FAILURE})"
    if text.startswith("do", place):
        brace = re.compile(r"do\s*\{").match(text, place)
        return [(brace.end(), 0, f" {assertion};")] if brace else []
    opening = re.compile(r"(?:while|for)\s*\(").match(text, place)
    if opening is None:
        return []
    begin, end = opening.end(), _closing(text, opening.end() - 1)
    if end is None:
        return []
    if text.startswith("for", place):
        parts = _semicolons(text, begin, end)
        if len(parts) != 2:
            return []
        begin, end = parts[0] + 1, parts[1]
    if not text[begin:end].strip():
        return [(begin, 0, f"({assertion}, 1)")]
    return [(begin, 0, f"({assertion}, ("), (end, 1, "))")]


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for position in range(opening, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return position
    return None


def _semicolons(text: str, begin: int, end: int) -> list[int]:
    """The semicolons that separate the parts of a `for`."""
    depth, places = 0, []
    for position in range(begin, end):
        depth += (text[position] in "({") - (text[position] in ")}")
        if text[position] == ";" and depth == 0:
            places.append(position)
    return places
