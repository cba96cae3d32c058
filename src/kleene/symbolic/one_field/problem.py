"""An operation as kinds and colours of individuals, and the neighbours that each colour may have.

A kind is what the result and the conditions on pairs of individuals can tell apart: a node of the input structure, the
values of all unary predicates, and the conditions of `Some` with two parts. A colour is a kind with values for all
features. The values are guessed, and the construction checks them (`growth`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Formula,
    Not,
    Or,
    conj,
    neg,
    predicates_of,
    reflexive_closure,
    transitive_closure,
)
from kleene.logic.kleene import Kleene
from kleene.logic.normal_forms import settled
from kleene.logic.transform import alpha_equal
from kleene.structures.structure import Structure
from kleene.symbolic.one_field.features import HERE, Feature, Gap, Kind, Some, holds
from kleene.symbolic.one_field.moments import Jump
from kleene.symbolic.one_field.reading import NotSupported, Reader
from kleene.symbolic.one_field.witnesses import Witnesses
from kleene.symbolic.theory import Theory, stage

MOST_GUESSES = 1 << 16
"""Combinations of values of predicates and features, also of the first ones only; each is looked at once."""
MOST_GLOBAL_GUESSES = 1024
"""Combinations of nullary predicates and conditions on the whole store; each is looked at once."""
MOST_CASES = 64
"""Those that do not contradict each other; the construction runs for each."""


@dataclass(frozen=True)
class IndividualKind:
    """What a result can say about an individual."""

    node: int
    values: tuple[bool, ...]
    marks: frozenset[Formula]
    """The conditions of `Problem.marks` that it satisfies."""


@dataclass(frozen=True)
class Colour:
    """A kind (by number) with a value for each predicate and feature."""

    kind: int
    values: Mapping[str, bool]


@dataclass(frozen=True)
class Field:
    """The only field of a vocabulary, and the predicates that are defined as its closures; True if reflexive."""

    step: str
    paths: Mapping[str, bool]


@dataclass(frozen=True)
class Unshown:
    """Predicates that are not those of the input structure, and steps of its stores that the graph does not have."""

    pointers: tuple[str, ...] = ()
    """Unary predicates that at most one individual has, as those of `witnesses`."""
    others: tuple[str, ...] = ()
    nullary: tuple[str, ...] = ()
    shown: frozenset[str] | None = None
    """The unary predicates that the result shows; None: those of the input structure."""
    jumps: tuple[Jump, ...] = ()

    @property
    def unary(self) -> tuple[str, ...]:
        return (*self.pointers, *self.others)


@dataclass(frozen=True)
class Problem:
    """The stores of a structure that satisfy closed conditions, over one functional field."""

    structure: Structure
    step: str
    paths: Mapping[str, bool]
    """The predicates that are defined as closures of the field; True if reflexive."""
    unary: tuple[str, ...]
    hidden: tuple[str, ...]
    """Unary predicates that the input structure does not have."""
    told_apart: tuple[str, ...]
    """The unary predicates that kinds tell apart: those that the result shows, and the ends of `jumps`."""
    jumps: tuple[Jump, ...]
    """Steps of the stores of the input structure beside those of the graph (`moments`)."""
    nullary: tuple[str, ...]
    features: tuple[Feature, ...]
    somes: tuple[Some, ...]
    never: tuple[Formula, ...]
    """Conditions that no individual satisfies."""
    apart: tuple[Some, ...]
    """Pairs of conditions that no two individuals satisfy."""
    gaps: tuple[Gap, ...]
    remaining: tuple[Formula, ...]
    """Closed conditions to be evaluated on whole stores."""

    @cached_property
    def marks(self) -> tuple[Formula, ...]:
        """The conditions on individuals that conditions on pairs of them contain."""
        pairs = [s for s in (*self.somes, *self.apart) if s.other is not None]
        marks = [g for s in pairs for g in (s.gamma, s.other) if g is not None]
        return tuple(dict.fromkeys((*marks, *(g for gap in self.gaps for g in (gap.gamma, gap.other)))))

    @cached_property
    def found(self) -> tuple[Some, ...]:
        """The conditions that one individual fulfils."""
        return tuple(s for s in self.somes if s.other is None)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Conditions of `found` and `gaps` that must hold, and that nothing else depends on."""
        asked = [f.predicate for f in self.remaining if isinstance(f, Atom)]
        return frozenset(asked) - self._elsewhere

    @cached_property
    def refused(self) -> frozenset[str]:
        """Conditions of `gaps` that must not hold."""
        return frozenset(
            f.body.predicate for f in self.remaining if isinstance(f, Not) and isinstance(f.body, Atom)
        ).intersection(gap.name for gap in self.gaps)

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        parts = [f for f in self.remaining if not isinstance(f, Atom)]
        return frozenset(p for f in parts for p in predicates_of(f))

    @cached_property
    def guessed(self) -> tuple[str, ...]:
        """Nullary predicates and conditions on whole stores that conditions on individuals contain."""
        conditions = (*(f.gamma for f in self.features), *self.never, *self.marks, *(s.gamma for s in self.found))
        used = {name for f in conditions for name in predicates_of(f)}
        names = {s.name for s in self.somes} | {gap.name for gap in self.gaps}
        return (*self.nullary, *sorted(names & used))

    def cases(self) -> Iterator[tuple[Problem, dict[str, bool]]]:
        """The problem under each guess of the conditions on whole stores that may hold."""
        cases = [(case, guess) for guess in self._guesses() if (case := self._under(guess)) is not None]
        if len(cases) > MOST_CASES:
            raise NotSupported("too many cases")
        yield from cases

    def _under(self, guess: Mapping[str, bool]) -> Problem | None:
        """The problem with guessed conditions as conditions on individuals; None if they contradict the others."""
        somes = {s.name: s for s in self.somes}
        conditions = {*somes, *(gap.name for gap in self.gaps)} & guess.keys()
        as_guessed = [Atom(n, ()) if guess[n] else neg(Atom(n, ())) for n in sorted(conditions)]
        known: dict[Formula, bool] = {Atom(name, ()): value for name, value in guess.items()}
        parts = [part for f in self.remaining for part in _conjuncts(settled(f, known))]
        if FALSE in parts:
            return None
        never, apart, remaining = _sorted_out(dict.fromkeys((*parts, *as_guessed)), somes)
        used = {name for f in remaining for name in predicates_of(f)}
        return replace(
            self,
            never=(*self.never, *never),
            apart=tuple(dict.fromkeys((*self.apart, *apart))),
            remaining=tuple(remaining),
            somes=tuple(s for s in self.somes if s.name in used),
            gaps=tuple(gap for gap in self.gaps if gap.name in used),
        )

    def _guesses(self) -> Iterator[dict[str, bool]]:
        if 1 << len(self.guessed) > MOST_GLOBAL_GUESSES:
            raise NotSupported("too many nullary predicates")
        vocabulary = self.structure.vocabulary
        known = {name: self.structure.value(name) for name in self.nullary if vocabulary.get(name) is not None}
        choices = [
            (known[name] is Kleene.TRUE,) if name in known and known[name].definite else (False, True)
            for name in self.guessed
        ]
        for values in product(*choices):
            yield dict(zip(self.guessed, values, strict=True))


def field_of(theory: Theory) -> Field:
    """The field of a vocabulary that has just one; raises `NotSupported`."""
    vocabulary = theory.vocabulary
    binary = [p for p in vocabulary.declared if p.arity == 2]
    fields = [p for p in binary if p.definition is None]
    if len(fields) != 1 or not fields[0].has("function") or any(p.arity > 2 for p in vocabulary.declared):
        raise NotSupported("not one functional field")
    step = fields[0].name
    paths = {}
    for p in binary:
        if p.definition is not None:
            a, b = p.args
            if alpha_equal(p.definition, reflexive_closure(step, a, b)):
                paths[p.name] = True
            elif alpha_equal(p.definition, transitive_closure(step, a, b)):
                paths[p.name] = False
            else:
                raise NotSupported(f"{p.name} is not the closure of the field")
    if len({*paths.values()}) > 1:
        raise NotSupported("a reflexive and an irreflexive closure")
    return Field(step, paths)


def problem_of(formula: Formula, structure: Structure, theory: Theory) -> Problem:
    """The operation ``assume[formula](structure)``; raises `NotSupported`."""
    field = field_of(theory)
    given = stage(formula, {})
    conditions = [stage(i.formula, {}) for i in theory.integrity if i.defines not in {*field.paths}]
    try:
        return problem_with(structure, field, Unshown(), (*conditions, given))
    except NotSupported:
        witnesses = Witnesses()
        named = witnesses.named(given)
        return problem_with(structure, field, Unshown(tuple(witnesses.predicates)), (*conditions, named))


def problem_with(structure: Structure, field: Field, unshown: Unshown, conditions: Sequence[Formula]) -> Problem:
    """The stores of a structure that satisfy closed conditions."""
    unique = [p.name for p in structure.vocabulary.declared if p.arity == 1 and p.has("unique")]
    unique += unshown.pointers
    reader = Reader(field.step, field.paths, unique)
    read = [part for f in conditions for part in _conjuncts(reader.read_closed(f))]
    never, apart, remaining = _sorted_out(read, reader.somes)
    apart = [*(Some(Atom(name, (HERE,)), Atom(name, (HERE,))) for name in unique), *apart]
    used = {name for f in (*remaining, *never) for name in predicates_of(f)}
    used |= {name for f in reader.features.values() for name in predicates_of(f.gamma)}
    used |= {name for gap in reader.gaps.values() for g in (gap.gamma, gap.other) for name in predicates_of(g)}
    used |= {name for s in reader.somes.values() for g in (s.gamma, s.other or TRUE) for name in predicates_of(g)}
    unary = tuple(p.name for p in structure.vocabulary.declared if p.arity == 1)
    ends = {name for jump in unshown.jumps for f in (jump.source, jump.target) for name in predicates_of(f)}
    shown = {*unary, *unshown.unary} if unshown.shown is None else unshown.shown | ends
    return Problem(
        structure=structure,
        step=field.step,
        paths=field.paths,
        unary=unary,
        hidden=unshown.unary,
        told_apart=tuple(name for name in (*unary, *unshown.unary) if name in shown),
        jumps=unshown.jumps,
        nullary=(*(p.name for p in structure.vocabulary.declared if p.arity == 0), *unshown.nullary),
        features=_in_order(reader.features),
        somes=tuple(s for s in reader.somes.values() if s.name in used),
        never=tuple(never),
        apart=tuple(dict.fromkeys(apart)),
        gaps=tuple(gap for gap in reader.gaps.values() if gap.name in used),
        remaining=tuple(remaining),
    )


def _sorted_out(
    conditions: Iterable[Formula], somes: Mapping[str, Some]
) -> tuple[list[Formula], list[Some], list[Formula]]:
    """Conditions that no individual satisfies, pairs of them that no two individuals satisfy, and all others."""
    never: list[Formula] = []
    apart: list[Some] = []
    remaining: list[Formula] = []
    for f in conditions:
        some = somes.get(f.body.predicate) if isinstance(f, Not) and isinstance(f.body, Atom) else None
        if some is None:
            remaining.append(f)
        elif some.other is None:
            never.append(some.gamma)
        else:
            apart.append(some)
    return never, apart, remaining


def _conjuncts(f: Formula) -> Iterator[Formula]:
    if isinstance(f, And):
        yield from _conjuncts(f.left)
        yield from _conjuncts(f.right)
    elif isinstance(f, Not) and isinstance(f.body, Or):
        yield from _conjuncts(neg(f.body.left))
        yield from _conjuncts(neg(f.body.right))
    elif f is not TRUE:
        yield f


def _in_order(features: Mapping[str, Feature]) -> tuple[Feature, ...]:
    """The features, and those that each implies: an individual on a cycle is always told apart."""
    cyclic = Feature(Kind.CYCLIC)
    return tuple({**features, cyclic.name: cyclic}.values())


@dataclass(frozen=True)
class Palette:
    """Kinds and colours under one guess of the closed conditions."""

    problem: Problem
    guess: Mapping[str, bool]
    kinds: tuple[IndividualKind, ...]
    colours: tuple[Colour, ...]

    @cached_property
    def counted(self) -> tuple[Formula, ...]:
        """The conditions whose number of predecessors matters, in order."""
        return tuple(
            dict.fromkeys(_counted_condition(f) for f in self.problem.features if f.kind in _FROM_PREDECESSORS)
        )

    def counted_by(self, feature: Feature) -> Formula:
        """The condition on predecessors that a feature counts."""
        return _counted_condition(feature)

    def followers(self) -> list[list[int]]:
        """For each colour those that successors may have: all features that look forward agree."""
        alike: dict[Hashable, list[int]] = defaultdict(list)
        outlooks: dict[Hashable, list[int]] = defaultdict(list)
        ahead = [f for f in self.problem.features if f.kind in (Kind.SUCCESSOR, Kind.TO)]
        for number, c in enumerate(self.colours):
            fixed = self.kinds[c.kind].node, c.values[CYCLIC]
            seen = tuple(c.values[f.name] if f.kind is Kind.TO else holds(f.gamma, c.values) for f in ahead)
            outlook = tuple((c.values[f.name], f.kind is Kind.TO and holds(f.gamma, c.values)) for f in ahead)
            alike[fixed, seen].append(number)
            outlooks[fixed, outlook].append(number)
        result: list[list[int]] = [[] for _ in self.colours]
        for here in outlooks.values():
            colour = self.colours[here[0]]
            fitting = [
                d for there in alike.values() if self._allows_step(colour, self.colours[there[0]]) for d in there
            ]
            for number in here:
                result[number] = sorted(fitting)
        return result

    def _allows_step(self, here: Colour, there: Colour) -> bool:
        p = self.problem
        nodes = self.kinds[here.kind].node, self.kinds[there.kind].node
        if p.structure.value(p.step, *nodes) is Kleene.FALSE:
            return False
        if here.values[CYCLIC] and not there.values[CYCLIC]:
            return False
        return all(_looks_ahead(f, here, there) for f in p.features)

    def allows_end(self, here: Colour) -> bool:
        """Whether an individual can have no successor."""
        return not here.values[CYCLIC] and all(_looks_ahead(f, here, None) for f in self.problem.features)

    def must_step(self, a: int, b: int) -> bool:
        """Whether individuals of one kind must lead to every one of another."""
        p = self.problem
        return p.structure.value(p.step, self.kinds[a].node, self.kinds[b].node) is Kleene.TRUE

    def are_apart(self, a: int, b: int) -> bool:
        """Whether no store has two individuals of these kinds."""
        one, other = self.kinds[a], self.kinds[b]
        if one.node == other.node and not self.problem.structure.is_summary(one.node):
            return True
        pairs = ((one.marks, other.marks), (other.marks, one.marks))
        return any(s.gamma in x and s.other in y for s in self.problem.apart for x, y in pairs)


CYCLIC = Feature(Kind.CYCLIC).name
LOOP = Feature(Kind.LOOP).name
_FROM_PREDECESSORS = (Kind.PREDECESSOR, Kind.PREDECESSORS, Kind.FROM)


def _counted_condition(feature: Feature) -> Formula:
    """The condition on predecessors that a feature counts; reachability is a feature of predecessors too."""
    return Atom(feature.name, (HERE,)) if feature.kind is Kind.FROM else feature.gamma


def _looks_ahead(f: Feature, here: Colour, there: Colour | None) -> bool:
    guessed = here.values[f.name]
    match f.kind:
        case Kind.SUCCESSOR:
            return guessed is (there is not None and holds(f.gamma, there.values))
        case Kind.TO:
            return guessed is (holds(f.gamma, here.values) or (there is not None and there.values[f.name]))
    return True


def palette(problem: Problem, guess: Mapping[str, bool]) -> Palette:
    """All kinds and colours that the conditions on single individuals allow."""
    kinds: dict[IndividualKind, int] = {}
    colours = []
    names = _in_guessing_order(problem)
    conditions = _by_last_name(problem, names)
    budget = [MOST_GUESSES]
    for node in problem.structure.nodes:
        known = {p: problem.structure.value(p, node) for p in problem.unary}
        fixed = {p: value is Kleene.TRUE for p, value in known.items() if value.definite}
        for values in _guesses(names, conditions, {**guess}, fixed, budget):
            marks = frozenset(g for g in problem.marks if holds(g, values))
            kind = IndividualKind(node, tuple(values[p] for p in problem.told_apart), marks)
            colours.append(Colour(kinds.setdefault(kind, len(kinds)), values))
    return Palette(problem, guess, tuple(kinds), tuple(colours))


def _excluded(problem: Problem) -> list[Formula]:
    """Conditions that no individual satisfies. Reachability is reflexive, and a loop is a cycle."""
    excluded = list(problem.never)
    for f in problem.features:
        if f.kind in (Kind.FROM, Kind.TO):
            excluded.append(conj(f.gamma, neg(Atom(f.name, (HERE,)))))
        if f.kind is Kind.LOOP:
            excluded.append(conj(Atom(f.name, (HERE,)), neg(Atom(CYCLIC, (HERE,)))))
    return excluded


def _in_guessing_order(problem: Problem) -> tuple[str, ...]:
    """Predicates and features such that conditions can be checked early: always those that complete a condition."""
    names = (*problem.unary, *problem.hidden, *(f.name for f in problem.features))
    waiting = [[name for name in names if name in predicates_of(f)] for f in _excluded(problem)]
    placed: dict[str, None] = {}
    while waiting:
        missing = min(waiting, key=len)
        placed.update(dict.fromkeys(missing))
        waiting = [left for others in waiting if (left := [name for name in others if name not in placed])]
    return tuple({**placed, **dict.fromkeys(names)})


def _by_last_name(problem: Problem, names: Sequence[str]) -> list[list[Formula]]:
    """Conditions that no individual satisfies, each at the last of its names: there it is known whether it holds."""
    excluded = _excluded(problem)
    place = {name: i for i, name in enumerate(names)}
    result: list[list[Formula]] = [[] for _ in range(len(names) + 1)]
    for condition in excluded:
        result[max((place[p] + 1 for p in predicates_of(condition) if p in place), default=0)].append(condition)
    return result


def _guesses(
    names: Sequence[str],
    conditions: Sequence[Sequence[Formula]],
    values: dict[str, bool],
    fixed: Mapping[str, bool],
    budget: list[int],
) -> Iterator[dict[str, bool]]:
    """All values of the names that satisfy none of the conditions."""
    done = len(values.keys() & {*names})
    if any(holds(f, values) for f in conditions[done]):
        return
    if done == len(names):
        yield dict(values)
        return
    budget[0] -= 1
    if budget[0] < 0:
        raise NotSupported("too many unary predicates")
    name = names[done]
    for value in (fixed[name],) if name in fixed else (False, True):
        values[name] = value
        yield from _guesses(names, conditions, values, fixed, budget)
        del values[name]
