"""Procedures by their specifications: assume-guarantee reasoning (YRS04, section 1.1; docs/concepts/symbolic.md).

A specification relates two states, before and after the call (the two vocabularies of section 4): ``old[q]`` in
`ensures` is the predicate q before, ``same[f](v)`` means that field f of v is unchanged, and ``new(v)`` that the call
created v. Quantifiers of `ensures` range over the individuals after the call.

Core predicates that `modifies` does not list are unchanged; without `modifies`, all may change. A call creates
individuals only with `allocates`, and removes only those that satisfy `frees` before. On new individuals, unlisted
predicates are 0, except for binary ones that are no functions (an order of data): these are arbitrary there. Arguments
replace the names of parameters; they are passed by reference, so that no argument may occur twice.

At a call the precondition is checked and the postcondition assumed: exactly by a decision procedure (`Timeline.call`,
through `BestTransformer`), or by focus and coerce (`calls_by_rules`). `reader` reads files of procedures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kleene.diagnostics import InputError, Position, UsageError, did_you_mean
from kleene.logic.earlier import NEW, name_in_same, old, same
from kleene.logic.formula import FALSE, TRUE, Atom, Forall, Formula, Iff, disj, forall, neg, predicates_of
from kleene.logic.transform import fresh_name, replace_atoms
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.structures.structure import Structure
from kleene.symbolic.assume import alpha_hat, assume
from kleene.symbolic.result import SymbolicOptions, SymbolicResult
from kleene.symbolic.theory import Theory
from kleene.tvp.program import Program, parse_formula

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PREDICATE = re.compile(r"([A-Za-z_$][\w$]*)\s*[(*+]")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Call:
    """A call with its arguments; `ensures` may contain ``old[q]``, and `frees` has one free variable."""

    text: str
    requires: Formula
    ensures: Formula
    modifies: frozenset[str]
    allocates: bool = False
    frees: Formula = FALSE

    def __str__(self) -> str:
        return self.text

    @property
    def changes_universe(self) -> bool:
        return self.allocates or self.frees is not FALSE

    def violations(self, structures: Sequence[Structure], theory: Theory, options: SymbolicOptions) -> SymbolicResult:
        """The stores that break the precondition; empty only if there are none."""
        return assume(neg(self.requires), structures, theory, options, bounded=False)


@dataclass(frozen=True)
class ClauseText:
    """A formula as it is written, and where."""

    text: str = ""
    position: Position = field(default_factory=lambda: Position("<contracts>", 1, 1))

    def __bool__(self) -> bool:
        return bool(self.text.strip())


@dataclass(frozen=True)
class BodyEdge:
    """``source name(arguments) target`` in a body: an action of the program, or a call."""

    source: str
    name: str
    arguments: tuple[str, ...]
    target: str
    position: Position

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class Procedure:
    """A specification as it is written; `sets` are the sets of the program that a body has members of its own for."""

    name: str
    parameters: tuple[str, ...]
    position: Position
    requires: ClauseText = ClauseText()
    ensures: ClauseText = ClauseText()
    modifies: tuple[str, ...] | None = None
    allocates: bool = False
    frees: ClauseText = ClauseText()
    sets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    body: tuple[BodyEdge, ...] = ()

    @property
    def locals(self) -> tuple[str, ...]:
        """The variables that a body has for itself, and that are 0 when it begins."""
        members = [m for _, names in self.sets for m in names]
        return tuple(dict.fromkeys(m for m in members if m not in self.parameters))

    def call(self, arguments: Sequence[str], program: Program) -> Call:
        """The specification of one call."""
        self._check(arguments)
        names = dict(zip(self.parameters, arguments, strict=True))

        def fill(text: str) -> str:
            return _NAME.sub(lambda m: names.get(m.group(), m.group()), text)

        def formula(clause: ClauseText, vocabulary: Vocabulary, *free: str) -> Formula:
            sets = {} if self.sets else program.sets  # a set would mean one thing here and another in the body
            return _formula(fill(clause.text), clause.position, vocabulary, sets, free)

        vocabulary = program.vocabulary
        core = frozenset(p.name for p in vocabulary.declared if p.definition is None)
        changed = core if self.modifies is None else frozenset(map(fill, self.modifies))
        for name in sorted(changed):
            known = vocabulary.get(name)
            if known is None:
                hint = did_you_mean(name, (p.name for p in vocabulary))
                raise InputError(f"'{name}' is not declared{hint}", self.position)
            if known.definition is not None:
                raise InputError(f"'{name}' is defined by a formula: 'modifies' lists core predicates", self.position)
        return Call(
            f"{self.name}({', '.join(arguments)})",
            formula(self.requires, vocabulary) if self.requires else TRUE,
            formula(self.ensures, with_old(vocabulary)) if self.ensures else TRUE,
            changed,
            self.allocates,
            formula(self.frees, vocabulary, "v") if self.frees else FALSE,
        )

    def _check(self, arguments: Sequence[str]) -> None:
        """Refuse arguments that make two names equal: the specification does not cover such a call."""
        if len(arguments) != len(self.parameters):
            count = len(self.parameters)
            raise UsageError(f"procedure '{self.name}' has {count} parameters, and is called with {len(arguments)}")
        text = f"{self.requires.text} {self.ensures.text} {self.frees.text} [{', '.join(self.modifies or ())}]"
        own = {*_PREDICATE.findall(text), *(n for part in _BRACKETS.findall(text) for n in _NAME.findall(part))}
        for name in self.locals:
            if name in own:
                raise InputError(f"the contract names '{name}', a variable of the body", self.position)
        for number, argument in enumerate(arguments):
            if argument in arguments[:number]:
                raise UsageError(f"'{argument}' is passed to '{self.name}' twice: its contract is about two variables")
            if argument in own and argument not in self.parameters:
                raise UsageError(f"'{argument}' is passed to '{self.name}', whose contract is about it already")


@dataclass(frozen=True)
class Contracts:
    """The procedures of a contracts file, by name."""

    procedures: dict[str, Procedure]


def as_before(predicate: Predicate) -> Formula:
    """``q(args) <-> old[q](args)``."""
    return Iff(Atom(predicate.name, predicate.args), Atom(old(predicate.name), predicate.args))


def same_predicate(predicate: Predicate, *, creates: bool = True) -> Predicate:
    """``same[f](v)``, with its definition; of a relation that is no function, new individuals do not count."""
    a, b = predicate.args
    body = as_before(predicate)
    if creates and not predicate.has("function"):
        body = disj(Atom(NEW, (b,)), body)
    return Predicate(same(predicate.name), 1, (a,), definition=forall([b], body), abstraction=True)


def is_field(predicate: Predicate) -> bool:
    """Whether there is ``same[f]`` for a predicate."""
    return predicate.arity == 2 and predicate.definition is None


def with_old(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary of postconditions: every predicate, its value before, and the predicates `same` and `new`."""
    before = [Predicate(old(p.name), p.arity, p.args) for p in vocabulary.declared]
    kept = [same_predicate(p) for p in vocabulary.declared if is_field(p)]
    more = {p.name: p for p in (*before, *kept, Predicate(NEW, 1, ("v",)))}
    return vocabulary.extend(p for name, p in more.items() if name not in vocabulary)


def written_out(formula: Formula, vocabulary: Vocabulary, *, creates: bool = False) -> Formula:
    """The formula with ``same[f]`` by its definition, and without new individuals unless there are any."""

    def meaning(atom: Atom) -> Formula:
        if atom.predicate == NEW:
            return atom if creates else FALSE
        name = name_in_same(atom.predicate)
        if name is not None:
            field = vocabulary[name]
            other = fresh_name(field.args[1], atom.args)
            pair = (atom.args[0], other)
            fresh = Atom(NEW, (other,)) if creates and not field.has("function") else FALSE
            return Forall(other, disj(fresh, Iff(Atom(name, pair), Atom(old(name), pair))))
        return atom

    return replace_atoms(formula, meaning)


def _formula(
    text: str, position: Position, vocabulary: Vocabulary, sets: Mapping[str, tuple[str, ...]], free: tuple[str, ...]
) -> Formula:
    """A clause parsed in its place, so that mistakes are shown there."""
    padded = "\n" * (position.line - 1) + " " * (position.column - 1) + text
    formula = parse_formula(padded, vocabulary, file=position.file, free=free, sets=sets)
    for p in BUILTIN:
        if p.name in predicates_of(formula):
            raise InputError(f"'{p.name}' is about structures, and contracts are about stores", position)
    return formula


def entry(call: Call, theory: Theory, options: SymbolicOptions) -> SymbolicResult:
    """The stores with which a body begins: the precondition is assumed on entry (section 1.1)."""
    return alpha_hat(call.requires, theory, options)
