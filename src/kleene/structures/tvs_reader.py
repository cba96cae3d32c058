"""Reader of TVS files: three-valued structures as text (thesis Figure 47 and Appendix C.6; TVLA 3
additions).

A file holds structures, or `%location` blocks of structures (what TVLA writes). Everything that is not
listed is 0, a listed tuple without a value is 1, `ac` is 1 unless listed. Deviation from TVLA: node names
are those of the structure itself, a node of an earlier structure is not known any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kleene.diagnostics import Diagnostic, InputError, Position, did_you_mean
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.source.cursor import Cursor, SyntaxProblem
from kleene.source.preprocess import Preprocessed, preprocess, preprocess_text
from kleene.source.tokens import TVS, Kind, Token
from kleene.structures.layout import TIERS
from kleene.structures.structure import Structure, StructureBuilder

LARGEST_UNIVERSE = TIERS[-1] - 2
_STARTS = ("%n", "%message", "%d", "%t", "%location")
_OLD_NAMES = {"inac": "ac"}


@dataclass(frozen=True)
class TvsStructure:
    """A structure as a file gives it; `listed` are the predicates that the text mentions."""

    structure: Structure
    listed: frozenset[str] = frozenset()
    messages: tuple[str, ...] = ()
    description: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TvsFile:
    """The structures of a plain file, or those of each location; one of the two is empty."""

    structures: tuple[TvsStructure, ...] = ()
    locations: Mapping[str, tuple[TvsStructure, ...]] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()


def read_tvs(
    path: str | Path,
    vocabulary: Vocabulary,
    *,
    include: Sequence[str] = (),
    macros: Mapping[str, str] | None = None,
) -> TvsFile:
    """Read a TVS file. Raises `InputError` with everything that is wrong with it."""
    return _read(preprocess(path, TVS, include=include, macros=macros), vocabulary)


def parse_tvs(text: str, vocabulary: Vocabulary, file: str = "<text>") -> TvsFile:
    """The structures of a text in memory."""
    return _read(preprocess_text(text, file, TVS), vocabulary)


def _read(source: Preprocessed, vocabulary: Vocabulary) -> TvsFile:
    if source.fatal:
        raise InputError(source.errors)
    parser = _TvsParser(source.tokens, vocabulary)
    result = parser.file()
    errors = [*source.errors, *parser.errors]
    if errors:
        raise InputError(errors)
    return result


@dataclass
class _Entry:
    """``predicate = { ... node, ... : value ... }``: one tuple."""

    nodes: list[tuple[str, Position]]
    value: Kleene
    position: Position


class _TvsParser(Cursor):
    def __init__(self, tokens: list[Token], vocabulary: Vocabulary) -> None:
        super().__init__(tokens)
        self.vocabulary = vocabulary
        self.errors: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self.earlier: set[str] = set()
        """Nodes of the structures before this one."""

    def error(self, message: str, position: Position) -> None:
        self.errors.append(Diagnostic(message, position))

    def warning(self, message: str, position: Position) -> None:
        self.warnings.append(Diagnostic(message, position, "warning"))

    # The file -------------------------------------------------------------------------------------------

    def file(self) -> TvsFile:
        structures: list[TvsStructure] = []
        locations: dict[str, tuple[TvsStructure, ...]] = {}
        if self.at_kind(Kind.END):
            self.error("the file holds no structures", self.position)
        while not self.at_kind(Kind.END):
            position, start = self.position, self.index
            try:
                if self.at("%location"):
                    name, at_location = self._location()
                    locations[name] = locations.get(name, ()) + at_location
                else:
                    structures.append(self._structure())
            except SyntaxProblem as problem:
                self._recover(problem, start)
                continue
            if structures and locations:
                self.error("a file holds either structures or locations, not both", position)
                break
        return TvsFile(tuple(structures), locations, tuple(self.warnings))

    def _recover(self, problem: SyntaxProblem, start: int) -> None:
        """Note a mistake and skip to the next structure."""
        self.errors.append(problem.diagnostic)
        self.depth = 0
        if self.index == start:
            self.advance()
        while not self.at_kind(Kind.END) and not self.at(*_STARTS):
            self.advance()

    def _location(self) -> tuple[str, tuple[TvsStructure, ...]]:
        self.expect("%location")
        if not self.at_kind(Kind.NAME, Kind.STRING):
            self.fail("the name of a location")
        name = self.advance().text
        self.expect("=")
        self.expect("{")
        structures: list[TvsStructure] = []
        while not self.at("}"):
            if self.at("%location"):
                self.fail("'}'")
            start = self.index
            try:
                structures.append(self._structure())
            except SyntaxProblem as problem:
                self._recover(problem, start)
                if self.at_kind(Kind.END) or self.at("%location"):
                    return name, tuple(structures)
        self.advance()
        return name, tuple(structures)

    # Structures -----------------------------------------------------------------------------------------

    def _structure(self) -> TvsStructure:
        self.accept(",")
        position = self.position
        messages: list[str] = []
        while self.accept("%message"):
            messages.append(self.expect_kind(Kind.STRING, "a string").text)
        description = self._description() if self.at("%d") else ""
        nodes = self._threads() if self.at("%t") else {}
        if not self.at("%n"):
            self.fail("'%n'")
        self.advance()
        nodes = self._universe(nodes)
        structure, listed = self._predicates(nodes)
        self.earlier |= nodes.keys()
        if self.at("%a"):
            self._buchi_state()
        return TvsStructure(structure, frozenset(listed), tuple(messages), description, position)

    def _description(self) -> str:
        self.expect("%d")
        self.expect("=")
        self.expect("{")
        text = self.expect_kind(Kind.STRING, "a string").text
        self.expect("}")
        return text

    def _threads(self) -> dict[str, int]:
        """``%t = { node(Type [, label]), ... }``: the threads become ordinary nodes."""
        position = self.expect("%t").position
        self.warning("threads ('%t') are not supported: they are read as ordinary nodes", position)
        self.expect("=")
        self.expect("{")
        nodes: dict[str, int] = {}
        while not self.at("}"):
            name, place = self._node()
            self._declare(name, place, nodes)
            self.expect("(")
            while not self.at(")"):
                self.expect_kind(Kind.NAME, "a thread type")
                self.accept(",")
            self.advance()
            self._comma("}")
        self.advance()
        return nodes

    def _buchi_state(self) -> None:
        position = self.expect("%a").position
        self.expect("=")
        self.expect_kind(Kind.NAME, "a state")
        self.warning("the state of a Buchi automaton ('%a') is not supported and is ignored", position)

    def _comma(self, closing: str) -> None:
        """Commas may be left out."""
        if not self.accept(",") and not (self.at(closing, "[", "(") or self.at_kind(Kind.NAME)):
            self.fail(f"',' or '{closing}'")

    def _universe(self, nodes: dict[str, int]) -> dict[str, int]:
        self.expect("=")
        self.expect("{")
        while not self.at("}"):
            name, position = self._node()
            self._declare(name, position, nodes)
            self._comma("}")
        self.advance()
        return nodes

    def _declare(self, name: str, position: Position, nodes: dict[str, int]) -> None:
        if name in nodes:
            self.error(f"node '{name}' is declared twice", position)
        elif len(nodes) == LARGEST_UNIVERSE:
            raise SyntaxProblem(f"a structure may have at most {LARGEST_UNIVERSE} nodes", position)
        else:
            nodes[name] = len(nodes)

    def _node(self) -> tuple[str, Position]:
        """``ID``, ``node.0``, ``node.1`` or ``[node, ...]``."""
        position = self.position
        if self.at_kind(Kind.NAME):
            name = self.advance().text
        elif self.at("["):
            self.enter()
            self.advance()
            parts = [self._node()[0]]
            while self.accept(","):
                parts.append(self._node()[0])
            self.expect("]")
            self.leave()
            name = f"[{','.join(parts)}]"
        else:
            self.fail("a node")
        while self.at(".0", ".1"):
            name += self.advance().text
        return name, position

    # Predicate values -----------------------------------------------------------------------------------

    def _predicates(self, nodes: dict[str, int]) -> tuple[Structure, set[str]]:
        self.expect("%p")
        self.expect("=")
        self.expect("{")
        filler = _Filler(self, nodes)
        while not self.at("}"):
            position = self.position
            name = self._predicate_name()
            self.expect("=")
            predicate = self._lookup(name, position)
            if self.at("{"):
                self._entries(predicate, filler)
            else:
                value = self._value("0, 1, 1/2 or '{'")
                if predicate is not None and predicate.arity:
                    self.error(f"predicate '{name}' has arity {predicate.arity}: its value needs braces", position)
                elif predicate is not None:
                    filler.set(predicate, _Entry([], value, position))
            self.accept(",")
        self.advance()
        return filler.builder.build(), filler.listed

    def _predicate_name(self) -> str:
        name = self.expect_kind(Kind.NAME, "a predicate or '}'").text
        if not self.at("["):
            return name
        self.enter()
        self.advance()
        parts: list[str] = []
        while not self.at("]"):
            parts.append(self._predicate_name())
            if not self.accept(",") and not self.at("]"):
                self.fail("',' or ']'")
        self.advance()
        self.leave()
        return f"{name}[{','.join(parts)}]" if parts else name

    def _lookup(self, name: str, position: Position) -> Predicate | None:
        predicate = self.vocabulary.get(_OLD_NAMES.get(name, name))
        if predicate is None:
            hint = did_you_mean(name, (p.name for p in self.vocabulary))
            self.error(f"undeclared predicate '{name}'{hint}", position)
        return predicate

    def _value(self, expected: str) -> Kleene:
        return Kleene.parse(self.expect_kind(Kind.CONST, expected).text)

    def _entries(self, predicate: Predicate | None, filler: _Filler) -> None:
        self.expect("{")
        if predicate is not None:
            filler.listed.add(predicate.name)
        while not self.at("}"):
            entry = self._entry()
            if predicate is not None:
                filler.set(predicate, entry)
            self._comma("}")
        self.advance()

    def _entry(self) -> _Entry:
        """``node``, ``node -> node`` or ``(node, ...)``, then an optional value."""
        position = self.position
        nodes: list[tuple[str, Position]] = []
        if self.accept("("):
            while not self.at(")"):
                nodes.append(self._node())
                if not self.accept(",") and not self.at(")"):
                    self.fail("',' or ')'")
            self.advance()
        else:
            nodes.append(self._node())
            if self.accept("->"):
                nodes.append(self._node())
        value = self._value("0, 1 or 1/2") if self.accept(":") else Kleene.TRUE
        return _Entry(nodes, value, position)


class _Filler:
    """Puts the listed values into a structure and collects their errors."""

    def __init__(self, parser: _TvsParser, nodes: dict[str, int]) -> None:
        self.parser = parser
        self.nodes = nodes
        self.builder = StructureBuilder(parser.vocabulary, len(nodes), tuple(nodes))
        self.listed: set[str] = set()
        self._values: dict[tuple[str, tuple[int, ...]], Kleene] = {}

    def set(self, predicate: Predicate, entry: _Entry) -> None:
        self.listed.add(predicate.name)
        if len(entry.nodes) != predicate.arity:
            message = f"predicate '{predicate.name}' has arity {predicate.arity}, found {len(entry.nodes)}"
            self.parser.error(f"{message} {'node' if len(entry.nodes) == 1 else 'nodes'}", entry.position)
            return
        known = tuple(self._node(name, position) for name, position in entry.nodes)
        nodes = tuple(node for node in known if node is not None)
        if len(nodes) < len(known):
            return
        value = entry.value
        if predicate.name == "sm" and value is Kleene.TRUE:
            value = Kleene.UNKNOWN
            self.parser.warning("'sm' is 0 or 1/2, never 1: it is read as 1/2, a summary node", entry.position)
        if self._values.get((predicate.name, nodes), value) is not value:
            self.parser.warning(f"'{predicate.name}' is given two values here; the last one counts", entry.position)
        self._values[predicate.name, nodes] = value
        self.builder.set(predicate.name, nodes, value)

    def _node(self, name: str, position: Position) -> int | None:
        number = self.nodes.get(name)
        if number is None:
            hint = did_you_mean(name, self.nodes)
            if name in self.parser.earlier:
                hint = " in this structure (only in an earlier one)"
            self.parser.error(f"node '{name}' is not declared{hint}", position)
        return number
