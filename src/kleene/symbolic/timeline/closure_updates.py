"""Closures after an action as formulas over closures before it, where that is exact.

If an action changes the field of one object x, the paths afterwards are made of paths before. With m for the field
without the steps that x loses,

    m+(s, t)  <->  n+(s, t) and no lost step x -> w with n*(s, x), n*(w, t)
    n'+(s, t) <->  m+(s, t) or, for a step x -> w that x gains, m*(s, x) and m*(w, t)

The second line holds for any relation. The first one needs that no path leads from x to x, and that there is at most
one path between two objects (up to cycles after its end): the field is a function, or no object has two predecessors.
(Dong and Su's maintenance of closures for acyclic graphs, and Itzhaky et al. CAV 2013, are relatives.) The solver then
knows one closure with its axioms instead of one for each moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    exists,
    neg,
    predicates_of,
    subformulas,
)
from kleene.logic.kleene import Kleene
from kleene.logic.transform import match_instance, postorder, rebuild, replace_atoms
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.smt.universe import in_domain
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.transformers.action import Update


@dataclass(frozen=True)
class Change:
    """A change of a binary predicate: only steps from the object with `mark` change. Names are those of predicates.

    With `whole`, all of its old steps count as lost and all of its new ones as gained.
    """

    predicate: str
    mark: str
    whole: bool
    loses: bool
    gains: bool

    def conditions(self, vocabulary: Vocabulary) -> list[Formula]:
        """Closed formulas over the predicates that must be false before, so that closures can be rewritten."""
        if not self.loses:
            return []
        around = Closure("v", "v", "a", "b", Atom(self.predicate, ("a", "b")))
        conditions: list[Formula] = []
        if not vocabulary[self.predicate].has("acyclic"):
            conditions.append(exists(["v"], conj(Atom(self.mark, ("v",)), around)))
        if not self.whole and not vocabulary[self.predicate].has("invfunction"):
            conditions.append(sharing(self.predicate))
        return conditions


def changes(updates: list[Update], vocabulary: Vocabulary, also: set[str]) -> list[Change]:
    """The changes of binary predicates that have such a form: core ones, and those of `also` defined by core ones."""
    core: dict[str, list[Change]] = {}
    for update in updates:
        if len(update.args) == 2:
            core[update.predicate] = [_change(update, p, vocabulary) for p in changed_sources(update, vocabulary)]
    result = [options[0] for options in core.values() if options]
    for name in sorted(also):
        predicate = vocabulary[name]
        if predicate.arity == 2 and predicate.definition is not None and _is_positive(predicate):
            parts = [core.get(p, []) for p in predicates_of(predicate.definition) & {u.predicate for u in updates}]
            marks = set.intersection(*({c.mark for c in part} for part in parts)) if parts else set()
            for mark in sorted(marks)[:1]:
                same = [c for part in parts for c in part if c.mark == mark]
                lost, gained = any(c.loses for c in same), any(c.gains for c in same)
                result.append(Change(name, mark, whole=False, loses=lost, gains=gained))
    return result


def _is_positive(predicate: Predicate) -> bool:
    """Defined by 'and' and 'or' of predicates of the same two arguments."""
    assert predicate.definition is not None
    return all(
        isinstance(g, (And, Or)) or (isinstance(g, Atom) and g.args == predicate.args)
        for g in subformulas(predicate.definition)
    )


def _change(update: Update, mark: str, vocabulary: Vocabulary) -> Change:
    same = Atom(update.predicate, update.args)
    here = Atom(mark, (update.args[0],))
    new = simplify_constants(replace_atoms(update.formula, lambda a: TRUE if a is here else a))
    whole = vocabulary[update.predicate].has("function")
    match new:
        case Or(a, b) if same in (a, b):
            return Change(update.predicate, mark, whole=False, loses=False, gains=True)
        case And(a, b) if same in (a, b):
            return Change(update.predicate, mark, whole=False, loses=True, gains=False)
    return Change(update.predicate, mark, whole, loses=True, gains=new is not FALSE)


def sharing(predicate: str) -> Formula:
    """Some object has two predecessors."""
    first, second = Atom(predicate, ("v1", "v")), Atom(predicate, ("v2", "v"))
    return exists(["v", "v1", "v2"], conj(first, second, neg(Equal("v1", "v2"))))


def unshared_predicates(structure: Structure) -> frozenset[str]:
    """The binary predicates without two predecessors of an object, according to a sharing predicate."""
    result = set()
    for p in structure.vocabulary.declared:
        shared = _shared_by(p)
        if shared is not None and all(structure.value(p.name, u) is Kleene.FALSE for u in structure.nodes):
            result.add(shared)
    return frozenset(result)


def _shared_by(predicate: Predicate) -> str | None:
    """The binary predicate whose sharing this predicate defines: an object with two predecessors."""
    match predicate.definition:
        case Exists(a, Exists(b, body)) if predicate.arity == 1:
            parts = set(_conjuncts(body))
            for p in predicates_of(body):
                into = {Atom(p, (a, *predicate.args)), Atom(p, (b, *predicate.args))}
                if parts - into in ({neg(Equal(a, b))}, {neg(Equal(b, a))}) and into <= parts:
                    return p
    return None


def _conjuncts(f: Formula) -> Iterator[Formula]:
    if isinstance(f, And):
        yield from _conjuncts(f.left)
        yield from _conjuncts(f.right)
    else:
        yield f


def is_excluded(condition: Formula, structure: Structure) -> bool:
    """True only if the instrumentation predicates exclude the condition in every store of the structure."""
    if condition in map(sharing, unshared_predicates(structure)):
        return True
    defined = [p for p in structure.vocabulary.declared if p.definition is not None]
    result: dict[Formula, Formula] = {}
    for g in postorder(condition):
        rebuilt = rebuild(g, tuple(result[c] for c in g.children))
        for p in defined:
            assert p.definition is not None
            binding = match_instance(p.definition, g)
            if binding is not None and set(p.args) <= binding.keys():
                rebuilt = Atom(p.name, tuple(binding[v] for v in p.args))
        result[g] = rebuilt
    return evaluate(structure, result[condition]) is Kleene.FALSE


class ClosureUpdates:
    """Rewrites closures of symbols that actions have made; later symbols are given after earlier ones."""

    def __init__(self) -> None:
        self._changes: dict[str, tuple[Change, str, str]] = {}
        self._removals: dict[str, tuple[str, str, frozenset[str]]] = {}
        self._copies: dict[str, tuple[str, str, Mapping[str, str]]] = {}

    def add(self, change: Change, before: str, after: str, mark: str) -> None:
        """The symbols of the predicate before and after, and of the mark before."""
        self._changes[after] = change, before, mark

    def remove(self, label: str, earlier: str, mark: str, symbols: frozenset[str]) -> None:
        """In the domain `label` the object with the mark has disappeared; `symbols` are the fields that paths use."""
        self._removals[label] = earlier, mark, symbols

    def copy(self, label: str, earlier: str, instance: str, symbols: Mapping[str, str]) -> None:
        """In the domain `label` there are copies too; `symbols` gives the symbol before for each one afterwards."""
        self._copies[label] = earlier, instance, symbols

    def apply(self, f: Formula) -> Formula:
        result: dict[Formula, Formula] = {}
        for g in postorder(f):
            below = rebuild(g, tuple(result[c] for c in g.children))
            result[g] = self._rewritten(below) if isinstance(below, Closure) else below
        return result[f]

    def _rewritten(self, f: Closure) -> Formula:
        match f:
            case Closure(s, t, u, w, Atom(symbol, args)) if {*args} == {u, w} and u != w:
                ends = (s, t) if args == (u, w) else (t, s)
                return self.path(symbol, ends, (u, w))
        return f

    def path(self, symbol: str, ends: tuple[str, str], step: tuple[str, str]) -> Formula:
        """``symbol+(s, t)`` over earlier symbols; the variables of `step` determine the domain."""
        u, w = step
        label = u.rpartition("@")[2] if "@" in u else ""
        if symbol in self._copies.get(label, ("", "", ()))[2]:
            return self._copied_path(label, symbol, ends)
        if symbol not in self._changes:
            earlier, mark, fields = self._removals.get(label, ("", "", frozenset()))
            if symbol in fields:
                return self._without(mark, symbol, ends, (in_domain("u", earlier), in_domain("w", earlier)))
            return Closure(*ends, u, w, Atom(symbol, (u, w)))
        change, before, mark = self._changes[symbol]
        x, y, z = (in_domain(v, label) if label else v for v in (f"x!{symbol}", f"y!{symbol}", f"z!{symbol}"))

        def plus(a: str, b: str) -> Formula:
            return self.path(before, (a, b), step)

        def star(a: str, b: str) -> Formula:
            return disj(Equal(a, b), plus(a, b))

        def lost_path(a: str, b: str) -> Formula:
            """A path from a to b leads through x and a lost step from it."""
            if not change.loses:
                return FALSE
            if change.whole:
                return conj(star(a, x), plus(x, b))
            gone = conj(Atom(before, (x, z)), neg(Atom(symbol, (x, z))))
            return conj(star(a, x), exists([z], conj(gone, star(z, b))))

        s, t = ends
        marked = Atom(mark, (x,))
        kept = conj(plus(s, t), neg(exists([x], conj(marked, lost_path(s, t)))))
        if not change.gains:
            return kept
        gained = Atom(symbol, (x, y)) if change.whole else conj(Atom(symbol, (x, y)), neg(Atom(before, (x, y))))
        rest = disj(Equal(y, t), conj(plus(y, t), neg(lost_path(y, t))))
        return disj(kept, exists([x, y], conj(marked, star(s, x), gained, rest)))

    def _copied_path(self, label: str, symbol: str, ends: tuple[str, str]) -> Formula:
        """A path among old individuals, or between the copies of two that a path connects."""
        earlier, instance, symbols = self._copies[label]
        u, w = in_domain("u", earlier), in_domain("w", earlier)
        x, y = in_domain(f"x!{symbol}", earlier), in_domain(f"y!{symbol}", earlier)

        def old_path(a: str, b: str) -> Formula:
            return self.path(symbols[symbol], (a, b), (u, w))

        copies = conj(Atom(instance, (ends[0], x)), Atom(instance, (ends[1], y)))
        return disj(old_path(*ends), exists([x, y], conj(copies, old_path(x, y))))

    def _without(self, mark: str, symbol: str, ends: tuple[str, str], step: tuple[str, str]) -> Formula:
        """A path that does not lead through the object with the mark."""
        (s, t), x = ends, in_domain(f"x!{mark}", step[0].rpartition("@")[2])
        through = conj(Atom(mark, (x,)), self.path(symbol, (s, x), step), self.path(symbol, (x, t), step))
        return conj(self.path(symbol, ends, step), neg(exists([x], through)))


def changed_sources(update: Update, vocabulary: Vocabulary) -> Iterator[str]:
    """The unique predicates such that only objects with that predicate have their field changed."""
    source = update.args[0]
    same = Atom(update.predicate, update.args)
    for p in vocabulary.declared:
        if p.arity == 1 and p.has("unique"):
            elsewhere = replace_atoms(update.formula, partial(_false_at, Atom(p.name, (source,))))
            if simplify_constants(elsewhere) is same:
                yield p.name


def _false_at(here: Atom, atom: Atom) -> Formula:
    return FALSE if atom is here else atom


def simplify_constants(f: Formula) -> Formula:
    """The formula without the constants that make parts of it superfluous."""
    match f:
        case Not(body):
            return neg(simplify_constants(body))
        case And(a, b):
            return conj(simplify_constants(a), simplify_constants(b))
        case Or(a, b):
            return disj(simplify_constants(a), simplify_constants(b))
        case IfThenElse(c, a, b):
            test = simplify_constants(c)
            if test in (TRUE, FALSE):
                return simplify_constants(a if test is TRUE else b)
            return IfThenElse(test, simplify_constants(a), simplify_constants(b))
        case Exists(v, body) | Forall(v, body):
            inner = simplify_constants(body)
            return type(f)(v, inner) if v in inner.free else inner
    return f
