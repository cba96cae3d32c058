"""Scopes, substitution of names, and the list of what is wrong (thesis Appendix C.5.4; TVLA 3
substitution).

A scope says which predicate name an iterator or an action argument stands for. Substitution replaces names
and the identifiers in brackets, never logical variables. A *wildcard* stands for an argument whose value is
not known: it lets actions be checked that no edge uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kleene.diagnostics import Diagnostic, Position
from kleene.tvp.syntax import Name, TextSyntax

_WILD = "?"


@dataclass(frozen=True)
class Scope:
    """What iterators and arguments stand for; `call` is shown in messages about an action's body."""

    names: Mapping[str, Name] = field(default_factory=dict)
    call: str = ""
    actuals: frozenset[str] = frozenset()

    def bind(self, iterator: str, member: Name) -> Scope:
        return replace(self, names={**self.names, iterator: member})


EMPTY = Scope()


class Report:
    """Collects errors and warnings; the same message at the same place is kept once."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self._seen: set[tuple[str, Position]] = set()

    def error(self, message: str, position: Position, scope: Scope = EMPTY) -> None:
        if self._is_new(message, position):
            self.errors.append(Diagnostic(message + scope.call, position))

    def warn(self, message: str, position: Position, key: str | None = None) -> None:
        """A warning; with a `key`, at most one warning of that key is kept at one place."""
        if self._is_new(key or message, position):
            self.warnings.append(Diagnostic(message, position, "warning"))

    def warn_ignored(self, part: str, position: Position) -> None:
        """One warning for each part of the language that is read and ignored."""
        if not any(f"'{part}'" in warning.message for warning in self.warnings):
            message = f"'{part}' belongs to TVLA's decomposition engine and is ignored"
            self.warnings.append(Diagnostic(message, position, "warning"))

    def _is_new(self, message: str, position: Position) -> bool:
        new = (message, position) not in self._seen
        self._seen.add((message, position))
        return new


def in_source_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place; files in the order in which they are first mentioned."""
    found = list(diagnostics)
    files: dict[str, int] = {}
    for diagnostic in found:
        if diagnostic.position is not None:
            files.setdefault(diagnostic.position.file, len(files))

    def key(diagnostic: Diagnostic) -> tuple[int, int, int]:
        place = diagnostic.position
        return (files[place.file], place.line, place.column) if place else (-1, 0, 0)

    return sorted(found, key=key)


def wildcard(name: str) -> Name:
    return Name(_WILD + name)


def is_wild(text: str) -> bool:
    """True iff a name depends on an argument that is not known."""
    return _WILD in text


def resolve(name: Name, scope: Scope, report: Report) -> Name:
    """The name with iterators and arguments replaced; it keeps its place."""
    names = scope.names
    if not names:
        return name
    member = names.get(name.id)
    args = tuple(resolve(arg, scope, report) for arg in name.args)
    if member is None:
        return Name(name.id, args, position=name.position) if args else name
    if not args:
        return Name(member.id, member.args, position=name.position)
    if member.args:
        message = f"'{member.text}' cannot replace '{name.id}' in '{name.text}': only one of them may have brackets"
        report.error(message, name.position, scope)
    return Name(member.id, args, position=name.position)


def text_of(parts: TextSyntax, scope: Scope, report: Report) -> str:
    """The value of a message text."""
    return "".join(resolve(p, scope, report).text if isinstance(p, Name) else p for p in parts)


def enter_iterator(iterator: str, position: Position, scope: Scope, report: Report) -> bool:
    """Check that an iterator may be bound here; False if its members should not be tried."""
    if iterator in scope.names:
        report.error(f"the iterator '{iterator}' has the name of an argument or outer iterator", position, scope)
        return False
    if iterator in scope.actuals:
        report.error(f"the argument '{iterator}' has the name of an iterator of the action", position, scope)
        return False
    return True
