"""Contracts of C functions as formulas: their predicates and their meaning (TACAS 2004, section 1.1).

The individuals are the heap blocks that the pointers of a call reach, and those that the function creates. A pointer
is a unary predicate, a field a binary one. Derived predicates: ``t[f]`` is f*; ``r[p]`` holds for the blocks that p
reaches along all fields, ``r[p,f]`` along one; ``is[f]`` for shared blocks; ``c[f]`` for blocks on a cycle;
``inv[f,g]`` for blocks whose f is null or leads to a block whose g leads back. In `ensures`, ``old[q]`` is the value
of q before the call, ``same[f](v)`` means that field f of v is unchanged, and ``new(v)`` that v was created;
quantifiers range over the blocks that live afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from kleene.logic.earlier import NEW, old, same
from kleene.logic.formula import (
    FALSE,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    conj,
    disj,
    exists,
    forall,
    implies,
    neg,
)
from kleene.logic.transform import fresh_name, rebuild
from kleene.logic.vocabulary import Predicate, Vocabulary

RESULT = "$result"
"""The result of a function, in formulas."""


@dataclass(frozen=True)
class Meaning:
    """The meaning of a predicate in contracts.

    `kind` is `pointer`, `field`, `path`, `reach`, `shared`, `cycle` or `inverse`.
    """

    kind: str
    fields: tuple[str, ...] = ()
    root: str = ""


@dataclass(frozen=True)
class SpecificationVocabulary:
    """The predicates of one moment that formulas over some pointers and fields may use."""

    pointers: tuple[str, ...]
    fields: tuple[str, ...]
    together: tuple[tuple[str, ...], ...] = ()
    """Some of the fields, in their order, that a formula names together: ``is[left,right]``."""

    @cached_property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of fields that have predicates: each alone, all, and those that formulas name."""
        every = (*((f,) for f in self.fields), *([self.fields] if self.fields else []), *self.together)
        return tuple(dict.fromkeys(every))

    @cached_property
    def meanings(self) -> dict[str, Meaning]:
        meanings = {p: Meaning("pointer", root=p) for p in self.pointers}
        meanings |= {f: Meaning("field", (f,)) for f in self.fields}
        for chosen in self.sets:
            inside = ",".join(chosen)
            meanings[f"t[{inside}]"] = Meaning("path", chosen)
            meanings[f"is[{inside}]"] = Meaning("shared", chosen)
            meanings[f"c[{inside}]"] = Meaning("cycle", chosen)
            meanings |= {f"r[{p},{inside}]": Meaning("reach", chosen, p) for p in self.pointers}
        meanings |= {f"inv[{f},{g}]": Meaning("inverse", (f, g)) for f in self.fields for g in self.fields if f != g}
        if self.fields:
            meanings |= {f"r[{p}]": Meaning("reach", self.fields, p) for p in self.pointers}
        return meanings

    def predicate_of(self, kind: str, fields: tuple[str, ...], root: str = "") -> str:
        """The predicate with a meaning."""
        return next(n for n, m in self.meanings.items() if m == Meaning(kind, fields, root))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(tuple(self._predicate(name, meaning) for name, meaning in self.meanings.items()))

    def _predicate(self, name: str, meaning: Meaning) -> Predicate:
        match meaning.kind:
            case "pointer":
                return Predicate(name, 1, ("v",), frozenset({"unique"}), abstraction=True)
            case "field":
                return Predicate(name, 2, ("v1", "v2"), frozenset({"function"}))
            case "path":
                definition = self.definition(meaning, ("v1", "v2"))
                closed = frozenset({"transitive", "reflexive"})
                return Predicate(name, 2, ("v1", "v2"), closed, definition)
        return Predicate(name, 1, ("v",), definition=self.definition(meaning, ("v",)), abstraction=True)

    def definition(self, meaning: Meaning, args: tuple[str, ...]) -> Formula:
        """The definition of a predicate over pointers, fields and paths."""
        a, b = fresh_name("a", args), fresh_name("b", args)
        match meaning.kind:
            case "path":
                step = self._step(meaning.fields, a, b)
                first, second = args
                return disj(Equal(first, second), Closure(first, second, a, b, step))
            case "reach":
                return exists([a], conj(Atom(meaning.root, (a,)), self._path(meaning.fields, a, args[0])))
            case "inverse":
                f, g = meaning.fields
                return forall([a], implies(Atom(f, (args[0], a)), Atom(g, (a, args[0]))))
            case "cycle":
                return exists([a], conj(self._step(meaning.fields, args[0], a), self._path(meaning.fields, a, args[0])))
        two = conj(Not(Equal(a, b)), self._step(meaning.fields, a, args[0]), self._step(meaning.fields, b, args[0]))
        both = [
            exists([a], conj(Atom(f, (a, args[0])), Atom(g, (a, args[0]))))
            for i, f in enumerate(meaning.fields)
            for g in meaning.fields[i + 1 :]
        ]
        return disj(exists([a, b], two), *both)

    def _step(self, fields: tuple[str, ...], a: str, b: str) -> Formula:
        return disj(*(Atom(f, (a, b)) for f in fields))

    def _path(self, fields: tuple[str, ...], a: str, b: str) -> Formula:
        return Atom(self.predicate_of("path", fields), (a, b))

    @cached_property
    def two_moments(self) -> Vocabulary:
        """The vocabulary of `ensures`."""
        before = [Predicate(old(p.name), p.arity, p.args) for p in self.vocabulary.declared]
        kept = [Predicate(same(f), 1, ("v",)) for f in self.fields]
        return self.vocabulary.extend([*before, *kept, Predicate(NEW, 1, ("v",))])

    def with_paths(self, formula: Formula) -> Formula:
        """The formula with a predicate for each path along fields: ``f*`` and ``f+`` are not followed step by step."""
        match formula:
            case Or(Equal(a, b), Closure() as steps) | Or(Closure() as steps, Equal(a, b)) if {a, b} == {
                steps.left,
                steps.right,
            } and (fields := self._followed_fields(steps)) is not None:
                return self._along(fields, steps.left, steps.right)
            case Closure(left, right) if (fields := self._followed_fields(formula)) is not None:
                middle = fresh_name("a", (left, right))
                first = [_atom_at(f, fields[0], (left, middle)) for f in fields[1]]
                return exists([middle], conj(disj(*first), self._along(fields, middle, right)))
        return rebuild(formula, tuple(self.with_paths(child) for child in formula.children))

    def _along(self, fields: tuple[bool, tuple[str, ...]], a: str, b: str) -> Formula:
        return _atom_at(self.predicate_of("path", fields[1]), fields[0], (a, b))

    def _followed_fields(self, steps: Closure) -> tuple[bool, tuple[str, ...]] | None:
        """Whether the steps of a closure are those before the call, and their fields; None for other steps."""
        parts = [steps.body]
        while any(isinstance(p, Or) for p in parts):
            parts = [q for p in parts for q in (p.children if isinstance(p, Or) else (p,))]
        plain = [p for p in parts if isinstance(p, Atom) and p.args == (steps.sub_left, steps.sub_right)]
        for before in (False, True):
            names = {p.predicate for p in plain}
            fields = tuple(f for f in self.fields if (old(f) if before else f) in names)
            if len(fields) == len(parts) and fields in self.sets:
                return before, fields
        return None


def _atom_at(name: str, before: bool, args: tuple[str, ...]) -> Formula:
    return Atom(old(name) if before else name, args)


@dataclass(frozen=True)
class Specification:
    """The contract of a function: closed formulas, the fields that may change, and which blocks (v) may be freed.

    `pointers` are the parameters that are pointers, in the order in which operations name their variables.
    """

    function: str
    words: SpecificationVocabulary
    pointers: tuple[str, ...]
    requires: Formula
    ensures: Formula
    modifies: frozenset[str]
    allocates: bool = False
    frees: Formula = FALSE
    returns: bool = False
    """Whether a pointer is returned."""
    requires_text: str = ""
    ensures_text: str = ""
    required: tuple[tuple[str, Formula], ...] = ()
    ensured: tuple[tuple[str, Formula], ...] = ()
    """The conjuncts of the two formulas, as they are written."""

    def __str__(self) -> str:
        return f"the contract of {self.function}"

    @property
    def reaching(self) -> tuple[str, ...]:
        """For each pointer, the predicate of the blocks that it reaches along all fields."""
        words = self.words
        return tuple(words.predicate_of("reach", words.fields, p) if words.fields else p for p in self.pointers)

    @property
    def reached(self) -> Formula:
        """Every individual is reached by a pointer: a function gets no others."""
        along = [Atom(name, ("v",)) for name in self.reaching]
        return Forall("v", disj(*along))  # without pointers there is no individual


def relativize(formula: Formula, inside: Callable[[str], Formula]) -> Formula:
    """The formula about the individuals inside: quantifiers range over them only."""
    match formula:
        case Forall(v, body):
            return Forall(v, disj(neg(inside(v)), relativize(body, inside)))
        case Exists(v, body):
            return Exists(v, conj(inside(v), relativize(body, inside)))
    return rebuild(formula, tuple(relativize(child, inside) for child in formula.children))
