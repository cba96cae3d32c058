"""Transitive closure as a relation with first-order axioms.

After Itzhaky, Banerjee, Immerman, Nanevski, Sagiv. Effectively-propositional reasoning about reachability in linked
data structures. CAV 2013: the closure of a deterministic field is a relation symbol with universally quantified
axioms. Deviation: the field stays a symbol beside its closure (shape analysis needs both), cycles are allowed, and
closures of any formula are accepted with weaker axioms. Every axiom holds in all finite structures, so 'unsatisfiable'
is always right; a model of the axioms need not be a model of the closure, so models are evaluated (`finite_model`).

`universal` axioms come first; where they leave a spurious model, `existential` ones are added: a path has a first and a
last step, and every finite non-empty set has a first and a last element of the closure. For functions that may be
cyclic these still take two cycles for one; `betweenness` excludes that (Lahiri, Qadeer. Back to the future: revisiting
precise program verification using SMT solvers. POPL 2008; the axioms are those of a ternary relation 'on the way').
`inductive` ones state that an order of single steps is an order along paths (sorted lists).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import product

from kleene.logic.formula import (
    FALSE,
    TRUE,
    Atom,
    Closure,
    Equal,
    Formula,
    conj,
    disj,
    exists,
    forall,
    neg,
)
from kleene.logic.transform import canonical, fresh_name, postorder, rebuild, substitute
from kleene.smt.expand import Expansion, sorted_symbol
from kleene.smt.universe import Universe, in_domain

STEP = ("a", "b")
"""The variables of a step that is a formula of its own."""


@dataclass(frozen=True)
class Fields:
    """Symbols that are known to be functions, inverse functions, acyclic, transitive in every model of the query.

    `unshared_steps` are formulas over the variables of `STEP` that never lead from two individuals to one.
    """

    functions: frozenset[str] = frozenset()
    inverse_functions: frozenset[str] = frozenset()
    acyclic: frozenset[str] = frozenset()
    transitive: frozenset[str] = frozenset()
    unshared_steps: frozenset[Formula] = frozenset()

    def with_inverse(self, symbols: Iterable[str]) -> Fields:
        return replace(self, inverse_functions=self.inverse_functions | frozenset(symbols))


@dataclass
class ClosureTable:
    """The closures met so far, each with its relation symbol and axioms."""

    expansion: Expansion
    fields: Fields = field(default_factory=Fields)
    symbols: dict[Formula, str] = field(default_factory=dict)
    universal: list[Formula] = field(default_factory=list)
    existential: list[Formula] = field(default_factory=list)
    between: list[Formula] = field(default_factory=list)
    inductive: list[Formula] = field(default_factory=list)
    steps: list[tuple[str, Formula]] = field(default_factory=list)
    """Of the existential axioms, those about one individual: its variable and the formula."""

    @property
    def universe(self) -> Universe:
        return self.expansion.universe

    def eliminate(self, f: Formula) -> Formula:
        """The formula with an atom for each closure; new axioms are added to the lists."""
        result: dict[Formula, Formula] = {}
        for g in postorder(f):
            below = rebuild(g, tuple(result[c] for c in g.children))
            result[g] = self._replace(below) if isinstance(below, Closure) else below
        return result[f]

    def _replace(self, f: Closure) -> Formula:
        parameters = tuple(v for v in f.body.free if v not in (f.sub_left, f.sub_right))
        domain = f.sub_left.rpartition("@")[2] if "@" in f.sub_left else ""
        if domain and self._stays_inside(f):
            domain = ""
        a, b = _place("a", domain), _place("b", domain)
        names = {v: _place(f"p{i}", v.rpartition("@")[2] if "@" in v else "") for i, v in enumerate(parameters)}
        step = substitute(f.body, {f.sub_left: a, f.sub_right: b, **names})
        key = canonical(step)
        symbol = self.symbols.get(key)
        if symbol is None:
            symbol = self.symbols[key] = f"tc{len(self.symbols)}"
            if not parameters:
                self._constants(symbol, step, a, b)
            self._axioms(symbol, step, domain, tuple(names.values()))
        return Atom(symbol, (f.left, f.right, *parameters))

    def _constants(self, symbol: str, step: Formula, a: str, b: str) -> None:
        """Without steps from cell to cell there is no path; with certain steps there is one."""
        cells = self.universe.cells
        sources, targets = self.universe.domain(a), self.universe.domain(b)
        steps = {(c, d): self.expansion.expand(step, {a: c, b: d}) for c in sources for d in targets}
        may = _transitive({pair for pair, f in steps.items() if f is not FALSE}, set(sources))
        there = {c for c in sources if not cells[c].optional}
        must = _transitive({pair for pair, f in steps.items() if f is TRUE}, there)
        for pair in product(range(len(cells)), repeat=2):
            if pair not in may or pair in must:
                self.expansion.learn(sorted_symbol(symbol, pair), value=pair in must)

    def _stays_inside(self, f: Closure) -> bool:
        """True iff no step touches a cell outside the domain, so that the closure is that over all cells."""
        if not isinstance(f.body, Atom):
            return False
        inside, everything = set(self.universe.domain(f.sub_left)), range(len(self.universe.cells))
        symbol = f.body.predicate
        return len(f.body.args) == 2 and all(
            self.universe.constant(symbol, pair) is False
            for c in everything
            if c not in inside
            for d in everything
            for pair in ((c, d), (d, c))
        )

    def _axioms(self, symbol: str, step: Formula, domain: str, parameters: tuple[str, ...]) -> None:
        a, b, c, d = (_place(v, domain) for v in "abcd")

        def path(x: str, y: str) -> Formula:
            return Atom(symbol, (x, y, *parameters))

        def one(x: str, y: str) -> Formula:
            return substitute(step, {a: x, b: y})

        def rule(*premises: Formula, then: Formula) -> Formula:
            return forall((a, b, c, d, *parameters), disj(*map(neg, premises), then))

        self.universal += [
            rule(one(a, b), then=path(a, b)),
            rule(path(a, b), path(b, c), then=path(a, c)),
        ]
        if isinstance(step, Atom) and {*step.args} == {a, b} and step.predicate in self.fields.transitive:
            self.universal.append(rule(path(a, b), then=one(a, b)))
        if self._is_field(step, (a, b), self.fields.functions, self.fields.inverse_functions):
            self.universal += [
                rule(one(a, b), path(a, c), then=disj(Equal(b, c), path(b, c))),
                rule(path(a, b), path(a, c), then=disj(Equal(b, c), path(b, c), path(c, b))),
                rule(path(a, a), path(a, b), then=path(b, a)),
                rule(path(a, a), path(b, b), one(a, c), one(b, c), then=Equal(a, b)),
            ]
        backwards = self._is_field(step, (a, b), self.fields.inverse_functions, self.fields.functions)
        backwards = backwards or substitute(step, dict(zip((a, b), STEP, strict=True))) in self.fields.unshared_steps
        if backwards:
            self.universal += [
                rule(one(b, a), path(c, a), then=disj(Equal(b, c), path(c, b))),
                rule(path(b, a), path(c, a), then=disj(Equal(b, c), path(b, c), path(c, b))),
                rule(path(a, a), path(b, a), then=path(a, b)),
                rule(path(a, a), path(b, b), one(c, a), one(c, b), then=Equal(a, b)),
            ]
        if not parameters and isinstance(step, Atom) and step.predicate not in self.fields.acyclic:
            if self._is_field(step, (a, b), self.fields.functions, self.fields.inverse_functions):
                self.between += betweenness(f"{symbol}:to", (a, b, c, d), one, path)
            elif backwards:
                back = betweenness(f"{symbol}:from", (a, b, c, d), lambda x, y: one(y, x), lambda x, y: path(y, x))
                self.between += back
        # Where the next individual is determined, a path has a first step if there is a step at all.
        if self._is_field(step, (a, b), self.fields.functions, self.fields.inverse_functions):
            self._add_step(a, disj(forall([b], neg(path(a, b))), exists([c], one(a, c))), parameters)
        else:
            first = exists([c], conj(one(a, c), disj(Equal(c, b), path(c, b))))
            self.existential.append(rule(path(a, b), then=first))
        if backwards:
            self._add_step(a, disj(forall([b], neg(path(b, a))), exists([c], one(c, a))), parameters)
        else:
            last = exists([c], conj(one(c, b), disj(Equal(a, c), path(a, c))))
            self.existential.append(rule(path(a, b), then=last))
        self.existential += self._extremes(symbol, domain, parameters)
        for order in sorted(self.fields.transitive) if not parameters else ():
            self.inductive += along((a, b, c, d), one, path, order)

    def _add_step(self, individual: str, f: Formula, parameters: tuple[str, ...]) -> None:
        self.existential.append(forall((individual, *parameters), f))
        if not parameters:
            self.steps.append((individual, f))

    def _extremes(self, symbol: str, domain: str, parameters: tuple[str, ...]) -> list[Formula]:
        """Every finite non-empty set has an element from which the closure leads only to equivalent ones."""
        axioms = []
        cells = self.universe.domain(_place("v", domain))
        labels = [domain] + [f"c{i}" for i in cells if not self.universe.cells[i].single]
        for label in labels:
            v, w = _place("v", label), _place("w", label)
            there, back = Atom(symbol, (v, w, *parameters)), Atom(symbol, (w, v, *parameters))
            some = neg(exists([v], Equal(v, v)))
            for ahead, behind in ((there, back), (back, there)):
                best = exists([v], forall([w], disj(neg(ahead), behind)))
                axioms.append(forall(parameters, disj(some, best)))
        return axioms

    @staticmethod
    def _is_field(step: Formula, ends: tuple[str, str], there: Iterable[str], back: Iterable[str]) -> bool:
        """True iff a step is determined by its first end."""
        match step:
            case Atom(symbol, args):
                return (args == ends and symbol in there) or (args == ends[::-1] and symbol in back)
        return False


def betweenness(
    symbol: str,
    variables: tuple[str, str, str, str],
    step: Callable[[str, str], Formula],
    path: Callable[[str, str], Formula],
) -> list[Formula]:
    """Axioms of ``between(x, y, z)``: going from x by single steps, y is met no later than z, which is met.

    Steps are those of a function. In a finite model of these axioms and of 'a path has a first step', paths are chains
    of steps: all elements of a cycle without y would lie before y, and so before each other.
    """
    x, y, z, u = variables

    def between(a: str, b: str, c: str) -> Formula:
        return Atom(symbol, (a, b, c))

    def reaches(a: str, b: str) -> Formula:
        return disj(Equal(a, b), path(a, b))

    def rule(*premises: Formula, then: Formula) -> Formula:
        return forall(variables, disj(*map(neg, premises), then))

    return [
        rule(between(x, y, y), then=reaches(x, y)),
        rule(reaches(x, y), then=between(x, y, y)),
        rule(step(x, z), path(x, y), then=disj(Equal(x, y), between(x, z, y))),
        rule(step(x, x), path(x, y), then=Equal(x, y)),
        rule(between(x, y, x), then=Equal(x, y)),
        rule(reaches(x, y), reaches(x, z), then=disj(between(x, y, z), between(x, z, y))),
        rule(between(x, y, z), then=conj(reaches(x, y), reaches(y, z))),
        rule(between(x, y, z), between(y, u, z), then=conj(between(x, y, u), between(x, u, z))),
        rule(between(x, y, z), between(x, u, y), then=conj(between(x, u, z), between(u, y, z))),
    ]


def along(
    variables: tuple[str, str, str, str],
    step: Callable[[str, str], Formula],
    path: Callable[[str, str], Formula],
    order: str,
) -> list[Formula]:
    """If the ends of a path are not in order (which is transitive), then those of one of its steps are not."""
    a, b, c, d = variables
    before, after = disj(Equal(a, c), path(a, c)), disj(Equal(d, b), path(d, b))
    return [
        forall(
            [a, b],
            disj(
                neg(path(a, b)),
                Atom(order, ends),
                exists([c, d], conj(step(c, d), before, after, neg(Atom(order, inner)))),
            ),
        )
        for ends, inner in (((a, b), (c, d)), ((b, a), (d, c)))
    ]


def _transitive(pairs: set[tuple[int, int]], between: set[int]) -> set[tuple[int, int]]:
    """The closure of a relation, by steps that meet in cells of `between`."""
    result = set(pairs)
    for c in between:
        before, after = [a for a, b in result if b == c], [b for a, b in result if a == c]
        result |= set(product(before, after))
    return result


def _place(variable: str, label: str) -> str:
    name = fresh_name(f"{variable}_", ())
    return in_domain(name, label) if label else name
