"""Scopes, substitution of names, and the list of what is wrong (thesis Appendix C.5.4; TVLA 3
substitution).

A scope says which predicate name an iterator or an action argument stands for. Substitution replaces names
and the identifiers in brackets, never logical variables. As in TVLA, it takes place in steps: first the arguments
of the action, then each iterator from the outside in. So an argument that has the name of an iterator means the
member inside that iterator's body; `resolve` warns where this happens. TVLA also substitutes the arguments one after
another, so that ``copy(y, x)`` of ``%action copy(x, y)`` is ``copy(x, x)``; this is done only if it is asked for. A
*wildcard* stands for an argument whose value is not known: it lets actions be checked that no edge uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from kleene.diagnostics import Diagnostic, Position
from kleene.tvp.syntax import Name, TextSyntax

_WILD = "?"


@dataclass(frozen=True)
class Scope:
    """What iterators and arguments stand for: substitutions that take place one after another.

    `call` is shown in messages about an action's body. `captures` says that a later substitution replaces a name that
    an earlier one put in.
    """

    steps: tuple[Mapping[str, Name], ...] = ()
    call: str = ""
    captures: bool = False

    def bind(self, iterator: str, member: Name) -> Scope:
        """The scope inside an iterator."""
        return self._then({iterator: member})

    @staticmethod
    def of_call(formals: Sequence[str], actuals: Sequence[Name], call: str = "", *, one_by_one: bool = False) -> Scope:
        """The scope of an action's body; with `one_by_one`, the arguments are substituted one after another."""
        pairs = list(zip(formals, actuals, strict=True))
        scope = Scope(call=call)
        for step in [dict([pair]) for pair in pairs] if one_by_one else [dict(pairs)]:
            scope = scope._then(step)
        return scope

    def binds(self, name: str) -> bool:
        return any(name in step for step in self.steps)

    def replaces(self, name: Name) -> bool:
        """Whether an argument or iterator is part of the name."""
        return any(_mentions(name, bound) for step in self.steps for bound in step)

    def at_once(self) -> dict[str, Name]:
        """All substitutions as if they took place at the same time."""
        return {name: member for step in self.steps for name, member in step.items()}

    def _then(self, step: Mapping[str, Name]) -> Scope:
        given = [member for earlier in self.steps for member in earlier.values()]
        captures = any(_mentions(member, name) for member in given for name in step)
        return Scope((*self.steps, step), self.call, self.captures or captures)


def _mentions(name: Name, identifier: str) -> bool:
    return name.id == identifier or any(_mentions(arg, identifier) for arg in name.args)


EMPTY = Scope()


class Report:
    """Collects errors and warnings; the same message at the same place is kept once."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self._seen: set[tuple[str, Position]] = set()
        self._harmless: str | None = None

    def error(self, message: str, position: Position, scope: Scope = EMPTY) -> None:
        if self._harmless is not None:
            self.warn(f"{message} ({self._harmless})", position)
        elif self._is_new(message, position):
            self.errors.append(Diagnostic(message + scope.call, position))

    @contextmanager
    def harmless(self, reason: str) -> Iterator[None]:
        """Errors that are reported inside become warnings, because the part of the program has no effect."""
        self._harmless = reason
        try:
            yield
        finally:
            self._harmless = None

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
    result = list(diagnostics)
    files: dict[str, int] = {}
    for diagnostic in result:
        if diagnostic.position is not None:
            files.setdefault(diagnostic.position.file, len(files))

    def key(diagnostic: Diagnostic) -> tuple[int, int, int]:
        place = diagnostic.position
        return (files[place.file], place.line, place.column) if place else (-1, 0, 0)

    return sorted(result, key=key)


def wildcard(name: str) -> Name:
    return Name(_WILD + name)


def is_wild(text: str) -> bool:
    """True iff a name depends on an argument that is not known."""
    return _WILD in text


def resolve(name: Name, scope: Scope, report: Report) -> Name:
    """The name with iterators and arguments replaced, one after another; it keeps its place."""
    if not scope.steps:
        return name
    result = name
    for step in scope.steps:
        result = _replace(result, step, scope, report)
    if not scope.captures:
        return result
    meant = _replace(name, scope.at_once(), scope, report)
    if result.text != meant.text:
        message = (
            f"'{name.text}' stands for '{meant.text}', which has the name of an iterator or a later argument: "
            f"as in TVLA it becomes '{result.text}' here"
        )
        report.warn(message + scope.call, name.position, key="capture")
    return result


def _replace(name: Name, names: Mapping[str, Name], scope: Scope, report: Report) -> Name:
    """The name after one parallel substitution."""
    member = names.get(name.id)
    args = tuple(_replace(arg, names, scope, report) for arg in name.args)
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
    if scope.binds(iterator):
        report.error(f"the iterator '{iterator}' has the name of an argument or outer iterator", position, scope)
        return False
    return True
