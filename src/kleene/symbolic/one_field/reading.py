"""Formulas as conditions on single individuals, with features for what they say about the field.

An existential quantifier is eliminated where its variable is linked to one other variable, by a step or by a path: it
becomes a feature of that variable. What has no such form is not supported; provers then try the operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import product

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    neg,
)
from kleene.logic.normal_forms import conjuncts
from kleene.logic.transform import substitute
from kleene.symbolic.one_field.features import HERE, Feature, Gap, Kind, Some

MOST_CLAUSES = 256
"""Clauses of one disjunctive normal form; larger formulas are left to the provers, which do not need normal forms."""


class NotSupported(Exception):
    """The formula has no form that this procedure decides."""


class Link(Enum):
    """A relation between two variables."""

    STEP = "n"
    PATH = "n+"
    REACH = "n*"
    EQUAL = "=="


@dataclass(frozen=True)
class Pair:
    """A literal about two variables."""

    link: Link
    left: str
    right: str
    positive: bool = True


@dataclass
class Clause:
    """A conjunction: conditions on single variables, and literals about pairs of them."""

    conditions: dict[str, Formula] = field(default_factory=dict)
    pairs: set[Pair] = field(default_factory=set)
    closed: Formula = TRUE

    def require(self, variable: str, condition: Formula) -> None:
        self.conditions[variable] = conj(self.conditions.get(variable, TRUE), condition)

    @property
    def variables(self) -> set[str]:
        return {*self.conditions, *(v for pair in self.pairs for v in (pair.left, pair.right))}

    def rename(self, old: str, new: str) -> None:
        """One variable in place of another that is equal to it."""
        if old in self.conditions:
            self.require(new, self.conditions.pop(old))
        swap = {old: new}
        self.pairs = {
            Pair(p.link, swap.get(p.left, p.left), swap.get(p.right, p.right), p.positive) for p in self.pairs
        }

    def links_of(self, variable: str) -> set[Pair]:
        return {pair for pair in self.pairs if variable in (pair.left, pair.right)}


class Reader:
    """Reads formulas over the field `step`.

    `paths` are the predicates that are defined as its closure, True if reflexive. At most one individual has a
    predicate of `unique`.
    """

    def __init__(self, step: str, paths: Mapping[str, bool], unique: Iterable[str] = ()) -> None:
        self.step = step
        self.paths = paths
        self.unique = frozenset(Atom(name, (HERE,)) for name in unique)
        self.features: dict[str, Feature] = {}
        self.somes: dict[str, Some] = {}
        self.gaps: dict[str, Gap] = {}
        self._names = 0

    # Conditions -----------------------------------------------------------------------------------------

    def read_closed(self, f: Formula) -> Formula:
        """A closed formula as a combination of nullary predicates and of `Some`."""
        match f:
            case Const():
                return f
            case Atom(_, ()):
                return f
            case Not(body):
                return neg(self.read_closed(body))
            case And(a, b):
                return conj(self.read_closed(a), self.read_closed(b))
            case Or(a, b):
                return disj(self.read_closed(a), self.read_closed(b))
            case Iff(a, b):
                return Iff(self.read_closed(a), self.read_closed(b))
            case IfThenElse(c, a, b):
                return IfThenElse(self.read_closed(c), self.read_closed(a), self.read_closed(b))
            case Exists():
                return self._exists(f, None)
            case Forall(v, body):
                return neg(self._exists(Exists(v, neg(body)), None))
        raise NotSupported(str(f))

    def condition(self, f: Formula, variable: str) -> Formula:
        """A formula with one free variable as a condition on `HERE`, with features."""
        match f:
            case Const():
                return f
            case Atom(_, ()):
                return f
            case Atom(name, (_,)):
                return Atom(name, (HERE,))
            case Equal():
                return TRUE
            case Not(body):
                return neg(self.condition(body, variable))
            case And(a, b):
                return conj(self.condition(a, variable), self.condition(b, variable))
            case Or(a, b):
                return disj(self.condition(a, variable), self.condition(b, variable))
            case Iff(a, b):
                return Iff(self.condition(a, variable), self.condition(b, variable))
            case IfThenElse(c, a, b):
                return IfThenElse(*(self.condition(g, variable) for g in (c, a, b)))
            case Exists():
                return self._exists(f, variable)
            case Forall(v, body):
                return neg(self._exists(Exists(v, neg(body)), variable))
        return self._at_one(self._pair(f, positive=True))

    def _reduced(self, condition: Formula) -> Formula:
        """A condition without what follows from its other parts: who satisfies gamma is reached from such a one."""
        parts = dict.fromkeys(conjuncts(condition))
        if any(neg(part) in parts for part in parts):
            return FALSE
        return conj(*(part for part in parts if not self._follows(part, parts)))

    def _follows(self, part: Formula, parts: Mapping[Formula, None]) -> bool:
        feature = self.features.get(part.predicate) if isinstance(part, Atom) else None
        if feature is None or feature.kind not in (Kind.FROM, Kind.TO):
            return False
        return all(g in parts for g in conjuncts(feature.gamma))

    def _feature(self, kind: Kind, gamma: Formula = TRUE) -> Formula:
        gamma = self._reduced(gamma)
        if gamma is FALSE:
            return FALSE
        feature = Feature(kind, gamma)
        self.features[feature.name] = feature
        return Atom(feature.name, (HERE,))

    def _some(self, gamma: Formula, other: Formula | None = None) -> Formula:
        gamma, other = self._reduced(gamma), None if other is None else self._reduced(other)
        if FALSE in (gamma, other):
            return FALSE
        if other is not None and not self.unique.isdisjoint({*conjuncts(gamma)} & {*conjuncts(other)}):
            return FALSE
        some = Some(gamma, other)
        self.somes[some.name] = some
        return Atom(some.name, ())

    def _gap(self, gamma: Formula, other: Formula, *, both: bool) -> Formula:
        gamma, other = self._reduced(gamma), self._reduced(other)
        if FALSE in (gamma, other):
            return FALSE
        gap = Gap(gamma, other, both)
        self.gaps[gap.name] = gap
        return Atom(gap.name, ())

    # Clauses --------------------------------------------------------------------------------------------

    def _exists(self, f: Formula, here: str | None) -> Formula:
        """An existential formula, on one free variable or closed."""
        parts = []
        for literals in self._clauses(f, positive=True):
            clause = Clause()
            if all(self._add(clause, g, positive) for g, positive in literals):
                parts.append(self._eliminate(clause, here))
        return disj(*parts)

    def _clauses(self, f: Formula, *, positive: bool) -> list[list[tuple[Formula, bool]]]:
        """The disjunctive normal form; variables of existential quantifiers get new names, and become free."""
        match f:
            case Not(body):
                return self._clauses(body, positive=not positive)
            case Iff(a, b):
                other = b if positive else neg(b)
                return self._clauses(disj(conj(a, other), conj(neg(a), neg(other))), positive=True)
            case IfThenElse(c, a, b):
                then, otherwise = (a, b) if positive else (neg(a), neg(b))
                return self._clauses(disj(conj(c, then), conj(neg(c), otherwise)), positive=True)
            case Exists(v, body) | Forall(v, body) if isinstance(f, Exists) is positive:
                self._names += 1
                name = f"{v}.{self._names}"
                there = (Equal(name, name), True)  # the individual exists, whatever the body says about it
                return [[there, *clause] for clause in self._clauses(substitute(body, {v: name}), positive=positive)]
            case And(a, b) | Or(a, b) if not self._is_pair(f):
                left, right = self._clauses(a, positive=positive), self._clauses(b, positive=positive)
                if isinstance(f, And) is not positive:
                    return left + right
                if len(left) * len(right) > MOST_CLAUSES:
                    raise NotSupported("too many cases")
                return [[*one, *other] for one, other in product(left, right)]
        return [[(f, positive)]]

    def _is_pair(self, f: Formula) -> bool:
        """Whether the formula is ``n*(v, w)``."""
        match f:
            case Or(Equal(a, b), Closure(c, d)) | Or(Closure(c, d), Equal(a, b)):
                return (a, b) == (c, d) and self._is_closure(f.right if isinstance(f.right, Closure) else f.left)
        return False

    def _is_closure(self, f: Formula) -> bool:
        return isinstance(f, Closure) and self._path(f, positive=True) is not None

    def _path(self, f: Closure, *, positive: bool) -> Pair | None:
        """The closure of the field, or of its inverse."""
        if f.body is Atom(self.step, (f.sub_left, f.sub_right)):
            return Pair(Link.PATH, f.left, f.right, positive)
        if f.body is Atom(self.step, (f.sub_right, f.sub_left)):
            return Pair(Link.PATH, f.right, f.left, positive)
        return None

    def _pair(self, f: Formula, *, positive: bool) -> Pair:
        match f:
            case Equal(a, b):
                return Pair(Link.EQUAL, a, b, positive)
            case Closure():
                path = self._path(f, positive=positive)
                if path is not None:
                    return path
            case Or(Equal(), Closure() as closure) | Or(Closure() as closure, Equal()) if self._is_pair(f):
                path = self._path(closure, positive=positive)
                if path is not None:
                    return replace(path, link=Link.REACH)
            case Atom(name, (a, b)) if name == self.step:
                return Pair(Link.STEP, a, b, positive)
            case Atom(name, (a, b)) if name in self.paths:
                return Pair(Link.REACH if self.paths[name] else Link.PATH, a, b, positive)
        raise NotSupported(str(f))

    def _at_one(self, pair: Pair) -> Formula:
        """A literal about a pair of an individual and itself."""
        value: Formula = TRUE
        if pair.link in (Link.PATH, Link.STEP):
            value = self._feature(Kind.CYCLIC if pair.link is Link.PATH else Kind.LOOP)
        return value if pair.positive else neg(value)

    def _add(self, clause: Clause, f: Formula, positive: bool) -> bool:
        """Add a literal to a clause; False if the clause is then false."""
        if len(f.free) <= 1:
            part = self.condition(f, f.free[0]) if f.free else self.read_closed(f)
            part = part if positive else neg(part)
            if f.free:
                clause.require(f.free[0], part)
            else:
                clause.closed = conj(clause.closed, part)
            return part is not FALSE
        clause.pairs.add(self._pair(f, positive=positive))
        return True

    # Elimination ----------------------------------------------------------------------------------------

    def _eliminate(self, clause: Clause, here: str | None) -> Formula:
        """The clause as a condition on `here`, or as a closed one: all other variables are quantified."""
        if not self._unite(clause, here) or self._is_contradictory(clause):
            return FALSE
        clause.conditions = {v: self._reduced(f) for v, f in clause.conditions.items()}
        clause.pairs -= set(self._entailed_paths(clause)) | set(self._entailed_differences(clause))
        if FALSE in clause.conditions.values():
            return FALSE
        while others := sorted(clause.variables - {here}, key=_innermost_first):
            if not any(self._eliminate_one(clause, w, here) or self._eliminate_pointed(clause, w) for w in others):
                raise NotSupported("variables that are linked in other ways")
            if FALSE in (clause.closed, *clause.conditions.values()):
                return FALSE
        return conj(clause.closed, clause.conditions.get(here, TRUE) if here is not None else TRUE)

    def _unite(self, clause: Clause, here: str | None) -> bool:
        """Equal variables become one: by equations, or because the field is a function. False if contradictory."""
        while pair := next(iter(self._equations(clause)), None):
            old, new = (pair.right, pair.left) if pair.right != here else (pair.left, pair.right)
            clause.pairs.discard(pair)
            clause.rename(old, new)
        for pair in sorted(clause.pairs, key=str):
            if pair.left == pair.right:
                clause.pairs.discard(pair)
                clause.require(pair.left, self._at_one(pair))
        return FALSE not in clause.conditions.values()

    def _equations(self, clause: Clause) -> Iterator[Pair]:
        for pair in clause.pairs:
            if pair.link is Link.EQUAL and pair.positive and pair.left != pair.right:
                yield pair
        steps = sorted((p for p in clause.pairs if p.link is Link.STEP and p.positive), key=str)
        for one, other in product(steps, steps):
            if one.left == other.left and one.right != other.right:
                yield Pair(Link.EQUAL, one.right, other.right)

    def _is_contradictory(self, clause: Clause) -> bool:
        positive = {p for p in clause.pairs if p.positive}
        for pair in clause.pairs - positive:
            if pair.link is Link.STEP and Pair(Link.STEP, pair.left, pair.right) in positive:
                return True
            if pair.link in (Link.PATH, Link.REACH):
                strict = pair.link is Link.PATH
                if _connects(positive, pair.left, pair.right, strict=strict):
                    return True
        return False

    def _entailed_paths(self, clause: Clause) -> Iterator[Pair]:
        """Paths that other literals imply."""
        for pair in clause.pairs:
            if pair.positive and pair.link in (Link.PATH, Link.REACH):
                stronger = (Link.STEP, Link.PATH) if pair.link is Link.REACH else (Link.STEP,)
                if any(Pair(link, pair.left, pair.right) in clause.pairs for link in stronger):
                    yield pair

    def _entailed_differences(self, clause: Clause) -> Iterator[Pair]:
        """Inequalities of individuals whose conditions contradict each other."""
        for pair in clause.pairs:
            if pair.link is Link.EQUAL and not pair.positive:
                both = conj(*(clause.conditions.get(v, TRUE) for v in (pair.left, pair.right)))
                if self._reduced(both) is FALSE:
                    yield pair

    def _eliminate_one(self, clause: Clause, w: str, here: str | None) -> bool:
        """Eliminate a variable with links to at most one other; False if that is not possible."""
        links = clause.links_of(w)
        neighbours = {v for pair in links for v in (pair.left, pair.right)} - {w}
        gamma = clause.conditions.get(w, TRUE)
        if not neighbours:
            clause.conditions.pop(w, None)
            clause.closed = conj(clause.closed, self._some(gamma))
            return True
        if len(neighbours) > 2:
            return False
        if len(neighbours) == 2:
            return self._eliminate_two(clause, w, links, here)
        (u,) = neighbours
        shapes = frozenset((p.link, p.left == w, p.positive) for p in links)
        if shapes == {(Link.EQUAL, True, False)} or shapes == {(Link.EQUAL, False, False)}:
            return self._eliminate_different(clause, w, u, here)
        condition = self._link_feature(shapes, gamma)
        if condition is None:
            return here is None and clause.links_of(u) == links and self._eliminate_gap(clause, w, u, links)
        clause.pairs -= links
        clause.conditions.pop(w, None)
        clause.require(u, condition)
        return True

    def _eliminate_pointed(self, clause: Clause, w: str) -> bool:
        """Eliminate a variable whose condition at most one individual satisfies; False if it says no such thing.

        Each of its links is then a condition of its own.
        """
        gamma = clause.conditions.get(w, TRUE)
        if self.unique.isdisjoint(conjuncts(gamma)):
            return False
        links = clause.links_of(w)
        for pair in links:
            u = pair.right if pair.left == w else pair.left
            linked = gamma if pair.link is Link.EQUAL else self._one_link(pair.link, pair.left == w, gamma)
            clause.require(u, linked if pair.positive else neg(linked))
        clause.pairs -= links
        clause.conditions.pop(w, None)
        clause.closed = conj(clause.closed, self._some(gamma))
        return True

    def _one_link(self, link: Link, inwards: bool, gamma: Formula) -> Formula:
        """The feature of u for one link with an individual that satisfies gamma; inwards: the link leads to u."""
        near, far = (Kind.PREDECESSOR, Kind.FROM) if inwards else (Kind.SUCCESSOR, Kind.TO)
        match link:
            case Link.STEP:
                return self._feature(near, gamma)
            case Link.REACH:
                return self._feature(far, gamma)
        return self._feature(near, self._feature(far, gamma))

    def _link_feature(self, shapes: frozenset[tuple[Link, bool, bool]], gamma: Formula) -> Formula | None:
        """The feature of u for a variable w with the condition gamma; True in a shape: the step leads from w to u."""
        different = {(Link.EQUAL, True, False), (Link.EQUAL, False, False)}
        links = {(link, inwards) for link, inwards, positive in shapes - different if positive}
        if not links or len(links) < len(shapes - different):
            return self._one_way(links, shapes, gamma, apart=not shapes.isdisjoint(different))
        if len({inwards for _, inwards in links}) > 1:
            return self._around(links, gamma, apart=not shapes.isdisjoint(different))
        if len(links) > 1:
            return None
        ((link, inwards),) = links
        if shapes.isdisjoint(different):
            return self._one_link(link, inwards, gamma)
        loop = self._feature(Kind.LOOP)
        if (link, inwards) == (Link.STEP, False):
            return conj(neg(loop), self._feature(Kind.SUCCESSOR, gamma))
        if link is Link.STEP or (inwards and gamma is TRUE):
            one, two = self._feature(Kind.PREDECESSOR, gamma), self._feature(Kind.PREDECESSORS, gamma)
            return IfThenElse(conj(loop, gamma), two, one)
        return conj(neg(loop), self._feature(Kind.SUCCESSOR)) if gamma is TRUE else None

    def _one_way(
        self, links: set[tuple[Link, bool]], shapes: frozenset[tuple[Link, bool, bool]], gamma: Formula, *, apart: bool
    ) -> Formula | None:
        """A step or path in one direction, and no path back: where it begins, there is no cycle."""
        back = {(link, inwards) for link, inwards, positive in shapes if not positive and link is not Link.EQUAL}
        if len(links) != 1 or any(link is Link.STEP for link, _ in back):
            return None
        ((link, inwards),) = links
        if any(way is inwards for _, way in back):
            return None
        acyclic = neg(self._feature(Kind.CYCLIC))
        strict = Link.PATH if link is Link.REACH else link
        if inwards:
            there = self._one_link(strict, inwards, conj(gamma, acyclic))
        else:
            there = conj(acyclic, self._one_link(strict, inwards, gamma))
        same = link is Link.REACH and not apart and all(other is Link.PATH for other, _ in back)
        return disj(there, conj(gamma, acyclic)) if same else there

    def _around(self, links: set[tuple[Link, bool]], gamma: Formula, *, apart: bool) -> Formula | None:
        """Links in both directions: u and w are on one cycle, or equal unless `apart`; w satisfies gamma."""
        cyclic = self._feature(Kind.CYCLIC)
        on_longer = conj(cyclic, neg(self._feature(Kind.LOOP))) if apart else cyclic
        steps = {inwards for link, inwards in links if link is Link.STEP}
        if len(steps) > 1:
            return None
        if gamma is TRUE and (apart or any(link is not Link.REACH for link, _ in links)):
            return on_longer
        if steps == {False}:
            return conj(on_longer, self._feature(Kind.SUCCESSOR, gamma))
        if steps == {True}:
            return conj(on_longer, self._feature(Kind.PREDECESSOR, conj(gamma, cyclic)))
        if apart:
            return None
        ahead = conj(cyclic, self._feature(Kind.TO, gamma))
        return ahead if any(link is Link.PATH for link, _ in links) else disj(gamma, ahead)

    def _eliminate_different(self, clause: Clause, w: str, u: str, here: str | None) -> bool:
        """Two different individuals without other links."""
        if u == here or clause.links_of(u) != clause.links_of(w):
            return False
        clause.pairs -= clause.links_of(w)
        one, other = clause.conditions.pop(u, TRUE), clause.conditions.pop(w, TRUE)
        clause.closed = conj(clause.closed, self._some(one, other))
        return True

    def _eliminate_gap(self, clause: Clause, w: str, u: str, links: set[Pair]) -> bool:
        """Two individuals without other links, one of which does not reach the other."""
        paths = {p for p in links if p.link in (Link.PATH, Link.REACH)}
        if any(p.positive for p in links) or not paths or any(p.link is Link.STEP for p in links):
            return False
        gamma, other = clause.conditions.pop(w, TRUE), clause.conditions.pop(u, TRUE)
        forward, backward = any(p.left == w for p in paths), any(p.left == u for p in paths)
        apart = self._gap(*((gamma, other) if forward else (other, gamma)), both=forward and backward)
        if all(p.link is Link.PATH for p in links):  # then they may be one individual, which is not on a cycle
            apart = disj(apart, self._some(conj(gamma, other, neg(self._feature(Kind.CYCLIC)))))
        clause.pairs -= links
        clause.closed = conj(clause.closed, apart)
        return True

    def _eliminate_two(self, clause: Clause, w: str, links: set[Pair], here: str | None) -> bool:
        """Two different predecessors of an individual.

        With conditions a and b: one satisfies a, one satisfies b, and two of them satisfy either.
        """
        into = next((p.right for p in links if p.link is Link.STEP and p.left == w and p.positive), None)
        other = next(({p.left, p.right} - {w} for p in links if p.link is Link.EQUAL and not p.positive), None)
        if into is None or other is None or len(links) != 2:
            return False
        (z,) = other
        expected = {Pair(Link.STEP, z, into), *(p for p in links if p.link is Link.EQUAL)}
        if z == here or into == z or clause.links_of(z) != expected:
            return False
        clause.pairs -= links | expected
        first, second = clause.conditions.pop(w, TRUE), clause.conditions.pop(z, TRUE)
        if first is not second:
            clause.require(into, self._feature(Kind.PREDECESSOR, first))
            clause.require(into, self._feature(Kind.PREDECESSOR, second))
        clause.require(into, self._feature(Kind.PREDECESSORS, disj(first, second)))
        return True


def _innermost_first(variable: str) -> int:
    return -int(variable.rpartition(".")[2])


def _connects(pairs: Iterable[Pair], start: str, end: str, *, strict: bool) -> bool:
    """Whether positive literals lead from one variable to another; with `strict`, in one step or more."""
    reached: set[tuple[str, bool]] = {(start, not strict)}
    waiting = list(reached)
    while waiting:
        here, stepped = waiting.pop()
        for pair in pairs:
            if pair.left == here and pair.link is not Link.EQUAL:
                there = (pair.right, stepped or pair.link is not Link.REACH)
                if there not in reached:
                    reached.add(there)
                    waiting.append(there)
    return (end, True) in reached
