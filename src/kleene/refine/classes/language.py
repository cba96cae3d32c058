"""The language of shape-class generators: one entry for each data structure, formulas in TVP syntax.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 4 (the DSL of
the SCG library): an entry specifies the most refined generator, and coarser ones are subsets of its predicate families.
`%refines` states which data structure refines which. docs/reference/shapes.md has the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kleene.diagnostics import Diagnostic, InputError, Position, did_you_mean
from kleene.source.cursor import SyntaxProblem
from kleene.source.preprocess import preprocess_text, read_source
from kleene.source.tokens import TVP, Dialect, Kind
from kleene.tvp.parser import TvpParser
from kleene.tvp.syntax import DeclarationItem, Foreach, FormulaSyntax, PredicateDeclaration

_OWN = ("shape", "refines", "forward", "back", "circular", "invariant", "family", "base", "acyclic", "cut")
SCG = Dialect("SCG", (*TVP.keywords, *_OWN), TVP.words)
COUNTS = {"none": (0, 0), "one": (1, 1), "many": (2, 99), "some": (1, 99), "any": (0, 99)}
"""Least and largest number of fields of a role."""


@dataclass(frozen=True)
class Family:
    """A predicate family: declarations that are instantiated together, or not at all.

    `acyclic` families make the forward relation an acyclic one; every step is then checked to close no cycle. Those
    that `cut` follow circular fields all the way: of every cycle one edge is cut, the others are checked to close none.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    companions: tuple[str, ...]
    """The families that a generator with this one gets too when it is chosen: without them trees grow large."""
    items: tuple[DeclarationItem, ...]
    acyclic: bool
    cut: bool
    position: Position

    @property
    def is_nullary(self) -> bool:
        """Whether it has nullary predicates: each may double the structures at a location."""
        return _has_nullary(self.items)


def _has_nullary(items: Iterable[DeclarationItem]) -> bool:
    return any(
        _has_nullary(item.body)
        if isinstance(item, Foreach)
        else isinstance(item, PredicateDeclaration) and not item.args
        for item in items
    )


@dataclass(frozen=True)
class Invariant:
    """A formula that holds in every heap of the data structure; it is evaluated on explicit heaps."""

    name: str
    title: str
    formula: FormulaSyntax
    position: Position


@dataclass(frozen=True)
class Entry:
    """One data structure: the fields it needs by role, its invariants, its most refined shape-class generator."""

    name: str
    title: str
    refines: tuple[str, ...]
    counts: tuple[tuple[str, str], ...]
    invariants: tuple[Invariant, ...]
    families: tuple[Family, ...]
    base: tuple[DeclarationItem, ...]
    base_acyclic: bool
    base_cut: bool
    position: Position

    def count(self, role: str) -> tuple[int, int]:
        return COUNTS[dict(self.counts).get(role, "none")]

    def fits(self, forward: int, back: int, circular: int) -> bool:
        """Whether the data structure may have these numbers of fields of each role."""
        given = {"forward": forward, "back": back, "circular": circular}
        return all(low <= given[role] <= high for role in given for low, high in [self.count(role)])

    def family(self, name: str) -> Family:
        return next(f for f in self.families if f.name == name)

    def is_closed(self, names: frozenset[str]) -> bool:
        """Whether every family that the named ones need is among them."""
        return all(set(self.family(n).needs) <= names for n in names)


def read_entries(path: str | Path) -> list[Entry]:
    """The entries of a file. Raises InputError with the place of a mistake."""
    return parse_entries(read_source(path), str(path))


def parse_entries(text: str, file: str = "<shapes>") -> list[Entry]:
    source = preprocess_text(text, file, SCG)
    if source.errors:
        raise InputError(source.errors)
    parser = _Parser(source.tokens)
    try:
        entries = parser.entries()
    except SyntaxProblem as problem:
        raise InputError([problem.diagnostic]) from None
    return entries


class _Parser(TvpParser):
    """Entries around TVP declarations."""

    def entries(self) -> list[Entry]:
        entries: list[Entry] = []
        while not self.at_kind(Kind.END):
            entry = self._entry()
            if any(entry.name == other.name for other in entries):
                _problem(f"there is a shape '{entry.name}' already", entry.position)
            entries.append(entry)
        return entries

    def _entry(self) -> Entry:
        if not self.at("%shape"):
            self.fail("'%shape'")
        self.advance()
        position = self.position
        name = self.identifier("the name of a data structure")
        title = self.expect_kind(Kind.STRING, "a string that says what it is").text
        self.expect("{")
        refines: tuple[str, ...] = ()
        counts: dict[str, str] = {}
        invariants: list[Invariant] = []
        families: list[Family] = []
        base: list[DeclarationItem] = []
        assumed: set[str] = set()
        while not self.accept("}"):
            keyword = self.current.text
            if not self.at(*(f"%{word}" for word in _OWN if word not in ("shape", "acyclic", "cut"))):
                self.fail("'%refines', '%forward', '%back', '%circular', '%invariant', '%base', '%family' or '}'")
            self.advance()
            if keyword == "%refines":
                refines += self._names("a data structure")
            elif keyword == "%invariant":
                invariants.append(self._invariant())
            elif keyword == "%family":
                families.append(self._family(families))
            elif keyword == "%base":
                items, own = self._body()
                base += items
                assumed |= own
            else:
                counts[keyword.removeprefix("%")] = self._count()
        return Entry(
            name,
            title,
            refines,
            tuple(counts.items()),
            tuple(invariants),
            tuple(families),
            tuple(base),
            "%acyclic" in assumed,
            "%cut" in assumed,
            position,
        )

    def _names(self, what: str) -> tuple[str, ...]:
        names = [self.identifier(what)]
        while self.accept(","):
            names.append(self.identifier(what))
        return tuple(names)

    def _count(self) -> str:
        if self.current.text not in COUNTS:
            self.fail(", ".join(COUNTS))
        return self.advance().text

    def _invariant(self) -> Invariant:
        position = self.position
        name = self.identifier("the name of the invariant")
        title = self.expect_kind(Kind.STRING, "a string that says what holds").text
        self.expect("=")
        return Invariant(name, title, self.formula(), position)

    def _family(self, known: list[Family]) -> Family:
        position = self.position
        name = self.identifier("the name of the family")
        names = [f.name for f in known]
        if name in names:
            _problem(f"there is a family '{name}' already", position)
        title = self.expect_kind(Kind.STRING, "a string that says what it is").text
        needs, companions = self._families_after("needs", names), self._families_after("with", names)
        items, assumed = self._body()
        return Family(name, title, needs, companions, tuple(items), "%acyclic" in assumed, "%cut" in assumed, position)

    def _families_after(self, word: str, known: list[str]) -> tuple[str, ...]:
        """The families that a word introduces, which must be known; none without it."""
        if not self.at(word):
            return ()
        self.advance()
        place = self.position
        names = self._names("a family")
        for name in names:
            if name not in known:
                _problem(f"there is no family '{name}' above{did_you_mean(name, known)}", place)
        return names

    def _body(self) -> tuple[list[DeclarationItem], set[str]]:
        """The declarations between braces, and the assumptions about cycles there."""
        self.expect("{")
        items: list[DeclarationItem] = []
        assumed: set[str] = set()
        while not self.accept("}"):
            if self.at("%acyclic", "%cut"):
                assumed.add(self.advance().text)
            elif not self.at("%i", "%r", "foreach"):
                self.fail("'%i', '%r', 'foreach', '%acyclic', '%cut' or '}'")
            else:
                items.append(self._declaration_item())
        return items, assumed


def _problem(text: str, position: Position) -> None:
    raise InputError([Diagnostic(text, position)])
