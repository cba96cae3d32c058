"""All canonical abstractions of the concrete structures with a given number of nodes, found by a SAT solver.

An enumeration of its own: truth, legality, embedding, one step of an action and canonical abstraction are written
here as circuits over all structures of one size. Nothing of `kleene.smt` or `kleene.symbolic` is used. Every
structure that the SAT solver finds is abstracted by the naive blur, and all with that abstraction are excluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, product

from pysat.solvers import Solver
from tests.oracle.generate import Setting
from tests.oracle.naive import HALF, NaiveStructure, Nodes, blur, empty

from kleene.logic.formula import (
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
)
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action

TRUE = 1
MOST = 150
"""Where there are more abstractions than that, so many are enough."""


class Circuit:
    """Gates over the variables of a SAT solver."""

    def __init__(self) -> None:
        self.solver = Solver(name="cadical153")
        self.solver.add_clause([TRUE])
        self.count = 1
        self._gates: dict[frozenset[int], int] = {}

    def variable(self) -> int:
        self.count += 1
        return self.count

    def all(self, literals: Iterable[int]) -> int:
        parts = frozenset(literals) - {TRUE}
        if -TRUE in parts or any(-x in parts for x in parts):
            return -TRUE
        if len(parts) < 2:
            return next(iter(parts), TRUE)
        if parts not in self._gates:
            gate = self._gates[parts] = self.variable()
            for x in parts:
                self.solver.add_clause([-gate, x])
            self.solver.add_clause([gate, *(-x for x in parts)])
        return self._gates[parts]

    def any(self, literals: Iterable[int]) -> int:
        return -self.all(-x for x in literals)

    def same(self, a: int, b: int) -> int:
        return self.any([self.all([a, b]), self.all([-a, -b])])

    def require(self, *literals: int) -> None:
        self.solver.add_clause(list(literals))


@dataclass
class World:
    """The structures over some nodes: which of them exist, and where predicates hold, as literals."""

    circuit: Circuit
    vocabulary: Vocabulary
    alive: list[int]
    values: dict[str, dict[Nodes, int]]
    _memo: dict[tuple[Formula, Nodes], int] = field(default_factory=dict)

    @property
    def nodes(self) -> range:
        return range(len(self.alive))

    def tuples(self, predicate: str) -> Iterator[Nodes]:
        return product(self.nodes, repeat=self.vocabulary[predicate].arity)

    def truth(self, f: Formula, z: dict[str, int]) -> int:
        key = f, tuple(z[v] for v in f.free)
        if key not in self._memo:
            self._memo[key] = self._truth(f, z)
        return self._memo[key]

    def _truth(self, f: Formula, z: dict[str, int]) -> int:
        circuit = self.circuit
        match f:
            case Const(Kleene.UNKNOWN):
                return circuit.variable()  # anything, for each assignment anew
            case Const(value):
                return TRUE if value is Kleene.TRUE else -TRUE
            case Atom(predicate, args):
                return self.values[predicate].get(tuple(z[v] for v in args), -TRUE)
            case Equal(a, b):
                return TRUE if z[a] == z[b] else -TRUE
            case Not(body):
                return -self.truth(body, z)
            case And(a, b):
                return circuit.all([self.truth(a, z), self.truth(b, z)])
            case Or(a, b):
                return circuit.any([self.truth(a, z), self.truth(b, z)])
            case Iff(a, b):
                return circuit.same(self.truth(a, z), self.truth(b, z))
            case IfThenElse(c, a, b):
                test = self.truth(c, z)
                return circuit.any([circuit.all([test, self.truth(a, z)]), circuit.all([-test, self.truth(b, z)])])
            case Exists(v, body):
                return circuit.any(circuit.all([self.alive[u], self.truth(body, {**z, v: u})]) for u in self.nodes)
            case Forall(v, body):
                return circuit.all(circuit.any([-self.alive[u], self.truth(body, {**z, v: u})]) for u in self.nodes)
            case Closure(left, right, a, b, body):
                return self._path(z[left], z[right], lambda u, w: self.truth(body, {**z, a: u, b: w}))
        raise TypeError(f)

    def _path(self, start: int, end: int, step) -> int:  # type: ignore[no-untyped-def]
        """One or more steps, over nodes that exist: the nodes at distance 1, 2, ..."""
        circuit = self.circuit
        front = {w: circuit.all([self.alive[w], step(start, w)]) for w in self.nodes}
        for _ in self.nodes:
            front = {
                w: circuit.any([front[w], *(circuit.all([front[u], self.alive[w], step(u, w)]) for u in self.nodes)])
                for w in self.nodes
            }
        return front[end]

    def define(self) -> None:
        """Instrumentation predicates mean their definitions."""
        for p in self.vocabulary.declared:
            if p.definition is not None:
                self._memo.clear()
                self.values[p.name] = {
                    nodes: self.truth(p.definition, dict(zip(p.args, nodes, strict=True)))
                    for nodes in self.tuples(p.name)
                }
        self._memo.clear()

    def require_legal(self, setting: Setting) -> None:
        for p in self.vocabulary.declared:
            for prop in p.properties:
                self._require_property(p.name, prop)
        for rule in setting.rules:
            variables = tuple(dict.fromkeys(rule.body.free + rule.head.free))
            for z in self._assignments(variables):
                absent = [-self.alive[u] for u in z.values()]
                self.circuit.require(*absent, -self.truth(rule.body, z), self.truth(rule.head, z))

    def _assignments(self, variables: Sequence[str]) -> Iterator[dict[str, int]]:
        for nodes in product(self.nodes, repeat=len(variables)):
            yield dict(zip(variables, nodes, strict=True))

    def _require_property(self, name: str, prop: str) -> None:
        circuit = self.circuit
        here = {nodes: circuit.all([x, *(self.alive[u] for u in nodes)]) for nodes, x in self.values[name].items()}
        exists = self.alive
        match prop:
            case "unique":
                _at_most_one(circuit, here.values())
            case "function":
                for a in self.nodes:
                    _at_most_one(circuit, (here[a, b] for b in self.nodes))
            case "invfunction":
                for a in self.nodes:
                    _at_most_one(circuit, (here[b, a] for b in self.nodes))
            case "symmetric":
                for a, b in here:
                    circuit.require(-here[a, b], here[b, a])
            case "antisymmetric":
                for a, b in here:
                    if a != b:
                        circuit.require(-here[a, b], -here[b, a])
            case "reflexive":
                for a in self.nodes:
                    circuit.require(-exists[a], here[a, a])
            case "antireflexive":
                for a in self.nodes:
                    circuit.require(-here[a, a])
            case "transitive":
                for a, b, c in product(self.nodes, repeat=3):
                    circuit.require(-here[a, b], -here[b, c], here[a, c])
            case "acyclic":
                for a in self.nodes:
                    circuit.require(-self._path(a, a, lambda u, w: here[u, w]))
            case _:
                raise ValueError(prop)

    # Embedding and abstraction --------------------------------------------------------------------------

    def require_embedded(self, s: NaiveStructure, movable: Sequence[int]) -> None:
        """Some function embeds the structure in s; `movable` nodes can be exchanged, so they are ordered by it."""
        circuit = self.circuit
        image = {(u, t): circuit.variable() for u in self.nodes for t in s.universe}
        for u in self.nodes:
            circuit.require(*(image[u, t] for t in s.universe))
            _at_most_one(circuit, (image[u, t] for t in s.universe))
        for t in s.universe:
            if s.value("sm", (t,)) == 0:
                _at_most_one(circuit, (image[u, t] for u in self.nodes))
            elif s.value("sm", (t,)) == 1:
                for u in self.nodes:
                    circuit.require(-image[u, t], *(image[w, t] for w in self.nodes if w != u))
            if s.value("ac", (t,)) == 1:
                circuit.require(*(image[u, t] for u in self.nodes))
        for a, b in pairwise(movable):
            for i, t in enumerate(s.universe):
                for later in s.universe[i + 1 :]:
                    circuit.require(-image[a, later], -image[b, t])
        for p in s.vocabulary.declared:
            for targets in s.tuples(p.name):
                value = s.value(p.name, targets)
                if value == HALF:
                    continue
                for nodes in self.tuples(p.name):
                    literal = self.values[p.name][nodes]
                    away = [-image[u, t] for u, t in zip(nodes, targets, strict=True)]
                    circuit.require(*away, literal if value else -literal)

    def is_abstracted_to(self, s: NaiveStructure) -> int:
        """A literal: the canonical abstraction is s."""
        circuit = self.circuit
        names = [p.name for p in self.vocabulary.unary_abstraction]
        called = {
            (u, t): circuit.all(
                [self.alive[u], *(x if s.value(p, (t,)) else -x for p in names for x in [self.values[p][u,]])]
            )
            for u in self.nodes
            for t in s.universe
        }
        parts = [circuit.any([-self.alive[u], *(called[u, t] for t in s.universe)]) for u in self.nodes]
        for t in s.universe:
            parts.append(circuit.any(called[u, t] for u in self.nodes))
            two = circuit.any(circuit.all([called[a, t], called[b, t]]) for a, b in combinations(self.nodes, 2))
            parts.append(two if s.value("sm", (t,)) else -two)
        for p in self.vocabulary.declared:
            if p.name in names:
                continue
            for targets in s.tuples(p.name):
                cases = [
                    (circuit.all(called[u, t] for u, t in zip(nodes, targets, strict=True)), self.values[p.name][nodes])
                    for nodes in self.tuples(p.name)
                ]
                some = circuit.any(circuit.all([there, x]) for there, x in cases)
                other = circuit.any(circuit.all([there, -x]) for there, x in cases)
                value = s.value(p.name, targets)
                parts += [some if value else -some, other if value < 1 else -other]
        return circuit.all(parts)

    def read(self) -> NaiveStructure:
        """The structure that the SAT solver has found."""
        true = {x for x in self.circuit.solver.get_model() if x > 0} | {
            x for x in self.circuit.solver.get_model() if x < 0
        }
        kept = [u for u in self.nodes if self.alive[u] in true]
        number = {u: i for i, u in enumerate(kept)}
        s = empty(self.vocabulary, len(kept))
        for p in self.vocabulary.declared:
            for nodes in product(kept, repeat=p.arity):
                if self.values[p.name][nodes] in true:
                    s.set(p.name, tuple(number[u] for u in nodes), 1.0)
        return s


def _at_most_one(circuit: Circuit, literals: Iterable[int]) -> None:
    for a, b in combinations(list(literals), 2):
        circuit.require(-a, -b)


def world(circuit: Circuit, vocabulary: Vocabulary, size: int) -> World:
    """Every structure over so many nodes; instrumentation predicates are not defined yet."""
    values = {
        p.name: {nodes: circuit.variable() for nodes in product(range(size), repeat=p.arity)}
        for p in vocabulary.declared
    }
    found = World(circuit, vocabulary, [TRUE] * size, values)
    found.values |= {"sm": {}, "isNew": {}, "instance": {}, "ac": {(u,): TRUE for u in range(size)}}
    return found


def abstractions_of(last: World) -> list[NaiveStructure]:
    """A structure of each canonical abstraction, up to `MOST`."""
    found: list[NaiveStructure] = []
    while len(found) < MOST and last.circuit.solver.solve():
        s = last.read()
        found.append(s)
        last.circuit.require(-last.is_abstracted_to(blur(s)))
    return found


def assumed(setting: Setting, s: NaiveStructure | None, f: Formula, size: int) -> list[NaiveStructure]:
    """Legal structures of a size that are embedded in s and satisfy f: one of each abstraction."""
    circuit = Circuit()
    first = world(circuit, setting.vocabulary, size)
    first.define()
    first.require_legal(setting)
    if s is not None:
        first.require_embedded(s, range(size))
    circuit.require(first.truth(f, {}))
    return abstractions_of(first)


def reached(setting: Setting, s: NaiveStructure, sequence: Sequence[Action], size: int) -> list[NaiveStructure]:
    """What actions can make of the structures of a size that are embedded in s: one of each abstraction."""
    found = []
    for first, *later in _choices(sequence, size):
        circuit = Circuit()
        current = world(circuit, setting.vocabulary, size)
        current.define()
        current.require_legal(setting)
        current.require_embedded(s, range(max(first.values(), default=-1) + 1, size))
        for action, z in zip(sequence, [first, *later], strict=True):
            current = _after(current, action, z)
            current.require_legal(setting)
        found += abstractions_of(current)
    return found


def _choices(sequence: Sequence[Action], size: int) -> Iterator[list[dict[str, int]]]:
    """The nodes that the preconditions choose.

    Nodes can be exchanged: the first action's first one is number 0, its second 0 or 1, and so on.
    """
    sizes = [size]
    for action in sequence:
        copies = sizes[-1] if action.new_formula is not None or action.clone is not None else int(action.creates)
        sizes.append(sizes[-1] + copies)
    free = [action.precondition.free if action.precondition is not None else () for action in sequence]
    options = [_without_symmetry(len(free[0]), size)]
    options += [list(product(range(n), repeat=len(names))) for names, n in zip(free[1:], sizes[1:], strict=False)]
    for chosen in product(*options):
        yield [dict(zip(names, nodes, strict=True)) for names, nodes in zip(free, chosen, strict=True)]


def _without_symmetry(count: int, size: int) -> list[Nodes]:
    if not count:
        return [()]
    shorter = _without_symmetry(count - 1, size)
    return [(*nodes, u) for nodes in shorter for u in range(min(max(nodes, default=-1) + 2, size))]


def _after(before: World, action: Action, z: dict[str, int]) -> World:
    """The structures after an action, for one choice of its precondition's variables."""
    circuit = before.circuit
    for u in z.values():
        circuit.require(before.alive[u])
    if action.precondition is not None:
        circuit.require(before.truth(action.precondition, z))
    wide = _created(before, action, z)
    after = replace(wide, values=dict(wide.values), alive=list(wide.alive), _memo={})
    for update in action.updates:
        if before.vocabulary[update.predicate].definition is None:
            after.values[update.predicate] = {
                nodes: wide.truth(update.formula, {**z, **dict(zip(update.args, nodes, strict=True))})
                for nodes in wide.tuples(update.predicate)
            }
    if action.retain is not None:
        (v,) = (name for name in action.retain.free if name not in z)
        for u in before.nodes:
            after.alive[u] = circuit.all([before.alive[u], before.truth(action.retain, {**z, v: u})])
    after.values["isNew"], after.values["instance"] = {}, {}
    after.define()
    return after


def _created(before: World, action: Action, z: dict[str, int]) -> World:
    circuit = before.circuit
    wide = replace(before, values={p: dict(entries) for p, entries in before.values.items()}, _memo={})
    wide.alive = list(before.alive)
    if action.creates and action.new_formula is None:
        wide.values["isNew"][len(wide.alive),] = TRUE
        wide.alive.append(TRUE)
    for formula, copies in ((action.new_formula if action.creates else None, False), (action.clone, True)):
        if formula is None:
            continue
        (v,) = (name for name in formula.free if name not in z)
        copy_of = {}
        for u in before.nodes:
            copy_of[u] = len(wide.alive)
            wide.alive.append(circuit.all([before.alive[u], before.truth(formula, {**z, v: u})]))
            wide.values["isNew"][copy_of[u],] = TRUE
            wide.values["instance"][copy_of[u], u] = TRUE
        if copies:
            for p in before.vocabulary.declared:
                if p.arity:
                    for nodes in before.tuples(p.name):
                        wide.values[p.name][tuple(copy_of[u] for u in nodes)] = before.values[p.name][nodes]
    for p in before.vocabulary.declared:
        for nodes in wide.tuples(p.name):
            wide.values[p.name].setdefault(nodes, -TRUE)
    return wide
