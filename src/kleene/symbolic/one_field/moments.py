"""Formulas about the stores before, between and after actions, over one graph that all of these stores share.

The graph has the steps that no action changes. Each moment has *jumps* besides, from the individuals of one condition
to that of another: where an action sets the field of x, there is a jump from x to its old target before, and one to the
new target afterwards. Paths of a moment are paths of the graph that use each jump at most once. What an action creates
is in the graph from the beginning, and what it removes stays there; the quantifiers of a moment leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from kleene.logic.formula import (
    FALSE,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Or,
    conj,
    disj,
    neg,
    reflexive_closure,
    transitive_closure,
)
from kleene.logic.normal_forms import conjuncts, nnf
from kleene.logic.transform import fresh_name, rebuild, substitute
from kleene.symbolic.one_field.features import HERE
from kleene.symbolic.one_field.reading import NotSupported

MOST_JUMPS = 2
"""Jumps of one moment: with three, a path is a disjunction of sixteen cases."""


@dataclass(frozen=True)
class Jump:
    """A step from every individual that satisfies `source` to the one that satisfies `target`, if there is one.

    Both are conditions on `HERE` without quantifiers. No step of the graph leaves a source.
    """

    source: Formula
    target: Formula


@dataclass(frozen=True)
class Moment:
    """What the predicates of a program mean at one moment."""

    step: str
    paths: Mapping[str, bool]
    """The predicates that are defined as closures of the field; True if reflexive."""
    names: Mapping[str, str]
    """What predicates are called whose value is not the one before the first action."""
    definitions: Mapping[str, tuple[tuple[str, ...], Formula]]
    """Instrumentation predicates without a name at this moment: their arguments and definitions."""
    values: Mapping[str, tuple[tuple[str, ...], Formula]]
    """Predicates that are those of another moment: their arguments, and what they say about the graph."""
    jumps: tuple[Jump, ...] = ()
    leaves: tuple[Formula, ...] = ()
    """Conditions of individuals that no step of the graph leaves: the sources of the jumps of all moments."""
    unreached: tuple[str, ...] = ()
    """Predicates of individuals that no step of the graph leads to."""
    created: tuple[str, ...] = ()
    """The predicates of individuals that an action creates; these have none of the predicates in `old`."""
    old: frozenset[str] = frozenset()
    """Unary predicates of the first store."""
    absent: tuple[str, ...] = ()
    """The predicates of individuals that do not exist at this moment."""

    @property
    def is_plain(self) -> bool:
        """Whether field and universe are those of the graph."""
        return not self.jumps and not self.absent

    def read(self, f: Formula) -> Formula:
        """A formula about this moment as one about the graph."""
        if self._is_reflexive(f):
            closure = f.right if isinstance(f, Or) and isinstance(f.right, Closure) else f.children[0]
            assert isinstance(closure, Closure)
            return self._path(closure, strict=False)
        match f:
            case Closure():
                return self._path(f, strict=True)
            case Atom(name, args):
                return self._atom(name, args)
            case Exists(v, body):
                return Exists(v, conj(self._exists_with(v, conjuncts(body)), self.read(body)))
            case Forall(v, body):
                there = self._exists_with(v, conjuncts(nnf(neg(body))))
                return Forall(v, disj(neg(there), self.read(body)))
        return rebuild(f, tuple(self.read(child) for child in f.children))

    def exists(self, variable: str) -> Formula:
        """That an individual exists at this moment."""
        return conj(*(neg(Atom(name, (variable,))) for name in self.absent))

    def _exists_with(self, variable: str, parts: Sequence[Formula]) -> Formula:
        """The same, for an individual that satisfies some conditions: what is created later has no old properties."""
        for part in parts:
            if isinstance(part, Atom) and part.args == (variable,) and self._is_old(part.predicate):
                return conj(*(neg(Atom(name, (variable,))) for name in self.absent if name not in self.created))
        return self.exists(variable)

    def _is_old(self, name: str) -> bool:
        return name in self.old and not (name in self.names or name in self.definitions or name in self.values)

    def _is_reflexive(self, f: Formula) -> bool:
        match f:
            case Or(Equal(a, b), Closure(c, d)) | Or(Closure(c, d), Equal(a, b)):
                return (a, b) == (c, d)
        return False

    def _atom(self, name: str, args: tuple[str, ...]) -> Formula:
        if name == self.step:
            in_graph = conj(Atom(name, args), *(neg(_at(f, args[0])) for f in self.leaves))
            in_graph = conj(in_graph, *(neg(Atom(name, args[1:])) for name in self.unreached))
            return disj(in_graph, *(conj(_at(x.source, args[0]), _at(x.target, args[1])) for x in self.jumps))
        if name in self.paths:
            if self.is_plain:
                return Atom(name, args)
            return disj(*self._paths(*args, strict=not self.paths[name]))
        if name in self.names:
            return Atom(self.names[name], args)
        if name in self.definitions:
            parameters, definition = self.definitions[name]
            return self.read(substitute(definition, dict(zip(parameters, args, strict=True))))
        if name in self.values:
            parameters, value = self.values[name]
            return substitute(value, dict(zip(parameters, args, strict=True)))
        return Atom(name, args)

    def _path(self, f: Closure, *, strict: bool) -> Formula:
        if f.body is Atom(self.step, (f.sub_left, f.sub_right)):
            return disj(*self._paths(f.left, f.right, strict=strict))
        if f.body is Atom(self.step, (f.sub_right, f.sub_left)):
            return disj(*self._paths(f.right, f.left, strict=strict))
        raise NotSupported(f"the closure {f}")

    def _paths(self, start: str, end: str, *, strict: bool) -> Iterator[Formula]:
        """The path in the graph, and the paths that use jumps, each at most once, in any order."""
        if len(self.jumps) > MOST_JUMPS:
            raise NotSupported("too many changes of the field")
        yield (transitive_closure if strict else reflexive_closure)(self.step, start, end)
        for number in range(1, len(self.jumps) + 1):
            for order in permutations(self.jumps, number):
                yield self._by_jumps(start, order, end)

    def _by_jumps(self, start: str, jumps: tuple[Jump, ...], end: str) -> Formula:
        if not jumps:
            return reflexive_closure(self.step, start, end)
        first, *rest = jumps
        source, target = fresh_name("from", (start, end)), fresh_name("to", (start, end))
        there = Exists(source, conj(_at(first.source, source), reflexive_closure(self.step, start, source)))
        onwards = self._by_jumps(target, tuple(rest), end)
        return conj(there, Exists(target, conj(_at(first.target, target), onwards)))


def changed(jumps: tuple[Jump, ...], source: Formula, target: Formula) -> tuple[Jump, ...]:
    """The jumps after the fields of the individuals with `source` were set to the one with `target`."""
    kept = [Jump(conj(x.source, neg(source)), x.target) for x in jumps if x.source is not source]
    return tuple(x for x in (*kept, Jump(source, target)) if FALSE not in (x.source, x.target))


def _at(condition: Formula, variable: str) -> Formula:
    return substitute(condition, {HERE: variable})
