"""Procedures by their specifications: assume-guarantee reasoning (seed 000, section 1.1; design.md section 7).

A contracts file lists procedures; formulas are in TVP syntax, over the predicates of the program::

    // Comments as in TVP.
    procedure sort(p)
      modifies n
      requires E(v) p(v)
      ensures  A(v) r[n,p](v) -> inOrder(v)

``old[q]`` in `ensures` is the predicate q before the call. Core predicates that `modifies` does not list stay as they
are; without it, any may change. A call neither creates nor removes individuals. Parameters are replaced by the
arguments wherever they occur as a name.

At a call the precondition is checked (`Call.violations`) and the postcondition assumed (`Timeline.call`, through
`BestTransformer`). `entry` gives the structures with which a body begins, `best.broken_ensures` checks a loop-free body
against its own postcondition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kleene.diagnostics import InputError, Position, UsageError, did_you_mean
from kleene.logic.formula import TRUE, Formula, neg
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.structure import Structure
from kleene.symbolic.assume import alpha_hat, assume
from kleene.symbolic.result import SymbolicOptions, SymbolicResult
from kleene.symbolic.theory import Theory
from kleene.tvp.program import Program, parse_formula

_HEADER = re.compile(r"procedure\s+([A-Za-z_]\w*)\s*\(([^)]*)\)\s*\Z")
_CLAUSE = re.compile(r"(modifies|requires|ensures)\b\s*(.*)\Z", re.DOTALL)
_START = re.compile(r"(?m)^\s*(?=(?:procedure|modifies|requires|ensures)\b)")


@dataclass(frozen=True)
class Call:
    """A call with its arguments filled in; `ensures` speaks of ``old[q]`` too. `modifies` of None is everything."""

    text: str
    requires: Formula
    ensures: Formula
    modifies: frozenset[str] | None

    def __str__(self) -> str:
        return self.text

    def violations(self, structures: Sequence[Structure], theory: Theory, options: SymbolicOptions) -> SymbolicResult:
        """The stores that break the precondition; empty only if there are none."""
        return assume(neg(self.requires), structures, theory, options, bounded=False)


@dataclass(frozen=True)
class Procedure:
    """A specification as it is written."""

    name: str
    parameters: tuple[str, ...]
    requires: str
    ensures: str
    modifies: tuple[str, ...] | None
    position: Position

    def call(self, arguments: Sequence[str], program: Program) -> Call:
        """The specification of one call."""
        if len(arguments) != len(self.parameters):
            count = len(self.parameters)
            raise UsageError(f"procedure '{self.name}' has {count} parameters, and is called with {len(arguments)}")
        names = dict(zip(self.parameters, arguments, strict=True))

        def filled(text: str) -> str:
            return re.sub(r"[A-Za-z_$][\w$]*", lambda m: names.get(m.group(), m.group()), text)

        vocabulary = program.vocabulary
        where = f"{self.position.file}:{self.position.line} ({self.name})"
        requires = _formula(filled(self.requires), vocabulary, where, program)
        ensures = _formula(filled(self.ensures), with_old(vocabulary), where, program)
        changed = None if self.modifies is None else frozenset(map(filled, self.modifies))
        for name in sorted(changed or ()):
            if name not in vocabulary:
                raise UsageError(f"{where}: '{name}' is not declared{did_you_mean(name, (p.name for p in vocabulary))}")
        return Call(f"{self.name}({', '.join(arguments)})", requires, ensures, changed)


@dataclass(frozen=True)
class Contracts:
    """The procedures of a contracts file, by name."""

    procedures: dict[str, Procedure]


def old(name: str) -> str:
    """The name of a predicate's value before a call."""
    return f"old[{name}]"


def with_old(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary of postconditions: every predicate, and its value before."""
    return vocabulary.extend(Predicate(old(p.name), p.arity, p.args) for p in vocabulary.declared)


def _formula(text: str, vocabulary: Vocabulary, where: str, program: Program) -> Formula:
    if not text.strip():
        return TRUE
    return parse_formula(text, vocabulary, file=where, free=(), sets=program.sets)


def read_contracts(path: Path) -> Contracts:
    """Read a contracts file; `InputError` names the line."""
    return parse_contracts(path.read_text(encoding="utf-8"), str(path))


def parse_contracts(text: str, file: str = "<contracts>") -> Contracts:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.DOTALL)
    procedures: dict[str, Procedure] = {}
    clauses: dict[str, str] = {}
    header: tuple[str, tuple[str, ...], Position] | None = None

    def close() -> None:
        if header is not None:
            name, parameters, position = header
            modifies = clauses.get("modifies")
            listed = None if modifies is None else tuple(m.strip() for m in modifies.split(",") if m.strip())
            procedures[name] = Procedure(
                name, parameters, clauses.get("requires", ""), clauses.get("ensures", ""), listed, position
            )

    for start, part in _parts(text):
        line = text.count("\n", 0, start) + 1
        position = Position(file, line, 1, text.splitlines()[line - 1])
        opening, clause = _HEADER.match(part), _CLAUSE.match(part)
        if opening is not None:
            close()
            clauses = {}
            header = opening[1], tuple(p.strip() for p in opening[2].split(",") if p.strip()), position
            if opening[1] in procedures:
                raise InputError(f"procedure '{opening[1]}' is specified twice", position)
        elif clause is not None and header is not None and clause[1] not in clauses:
            clauses[clause[1]] = clause[2]
        else:
            raise InputError("expected 'procedure NAME(PARAMETERS)', then modifies, requires, ensures", position)
    close()
    return Contracts(procedures)


def _parts(text: str) -> list[tuple[int, str]]:
    """The clauses with their places; text before the first keyword is a clause of its own, and an error."""
    places = sorted({m.end() for m in _START.finditer(text)})
    if text[: places[0] if places else len(text)].strip():
        places.insert(0, len(text) - len(text.lstrip()))
    return [(a, text[a:b].strip()) for a, b in zip(places, [*places[1:], len(text)], strict=True)]


def entry(call: Call, theory: Theory, options: SymbolicOptions) -> SymbolicResult:
    """The stores with which a body begins: the precondition is assumed on entry (section 1.1)."""
    return alpha_hat(call.requires, theory, options)
