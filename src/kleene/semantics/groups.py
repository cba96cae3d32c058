"""Groups of pointer cells whose closure is tracked, and the instrumentation predicates and rules of each group.

An acyclic group has the closure ``t`` of its edges. A circular group has one cell, so that its edges are a function f:
of every cycle one edge is cut, that of the node with ``cut[f]``; the other edges ``sfe[f]`` are a forest of which ``t``
is the closure, and what f reaches is what the forest reaches, or what it reaches after one cut edge. A cyclic group has
the closure of all its edges, whatever they are, with little precision.
(Loginov, Reps, Sagiv. Automated verification of the Deutsch-Schorr-Waite tree-traversal algorithm, SAS 2006, and
Loginov's thesis, on spanning forests; the names are those of TVLA's examples.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from kleene.logic.formula import (
    Equal,
    Exists,
    Formula,
    Not,
    conj,
    disj,
    exists,
    forall,
    implies,
    reflexive_closure,
)
from kleene.logic.vocabulary import Predicate
from kleene.semantics.names import at
from kleene.transformers.action import Rule

ACYCLIC, CIRCULAR, CYCLIC = "acyclic", "circular", "cyclic"
CLOSED = frozenset({"transitive", "reflexive"})


@dataclass(frozen=True)
class ShapeClass:
    """Which instrumentation predicates are used.

    `back` are cells that point against the structure, `circular` those that may form cycles.
    """

    name: str
    acyclic: bool = True
    back: frozenset[str] = frozenset()
    circular: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Group:
    """Edge predicates that are followed together. `cells` are those they belong to."""

    name: str
    kind: str
    cells: tuple[str, ...]
    members: tuple[str, ...]
    function: bool = True
    """Whether a node has at most one edge of the group."""
    whole: bool = True
    """Whether there are predicates of all that variables reach; not against the direction of circular lists."""
    sharing: bool = True
    """Whether there is a predicate of shared nodes; not against the direction of trees, where all inner nodes are."""

    @property
    def step(self) -> str:
        """The relation whose closure is `closure`."""
        return f"sfe[{self.name}]" if self.kind == CIRCULAR else self.name

    @property
    def closure(self) -> str:
        return f"t[{self.name}]"

    @property
    def cut(self) -> str:
        return f"cut[{self.name}]"

    @property
    def shared(self) -> str:
        """The predicate of nodes to which two cells of the group point."""
        return f"is[{self.name}]"

    @property
    def crowded(self) -> str:
        """The core predicate of nodes to which three cells point: of which one can go, and the node stays shared."""
        return f"is3[{self.name}]"

    @property
    def on_cycle(self) -> str:
        """The predicate of nodes on a cycle; of those with a cut, the ones whose edge closes it."""
        return f"c[{self.name}]"

    def reach(self, root: str) -> str:
        """The predicate of everything that a variable reaches."""
        return f"rt[{self.name},{root}]" if self.kind == CIRCULAR else f"r[{self.name},{root}]"

    # Predicates -----------------------------------------------------------------------------------------------

    def core(self) -> list[Predicate]:
        alone = self.kind == ACYCLIC and self.members == (self.name,)
        properties = frozenset({"function", "acyclic"} if alone else {"function"})
        found = [Predicate(name, 2, ("v1", "v2"), properties) for name in self.members]
        if self.sharing:
            found.append(Predicate(self.crowded, 1, ("v",)))
        if self.kind == CIRCULAR:
            found.append(Predicate(self.cut, 1, ("v",), abstraction=True, unique_per_component=(self.name,)))
        return found

    def roots(self, roots: Mapping[str, Set[str]]) -> list[str]:
        """Of the variables (with the edges of what they point to), those from which edges of the group lead on."""
        return [root for root, edges in roots.items() if edges & set(self.members)]

    def instrumentation(self, roots: Mapping[str, Set[str]]) -> list[Predicate]:
        acyclic = frozenset({"acyclic"} if self.kind == ACYCLIC else ())
        function = frozenset({"function"} if self.function else ())
        found: list[Predicate] = []
        if self.members != (self.name,):
            union = disj(*(at(m, "v1", "v2") for m in self.members))
            found.append(Predicate(self.name, 2, ("v1", "v2"), acyclic | function, union))
        if self.kind == CIRCULAR:
            forest = conj(at(self.name, "v1", "v2"), Not(at(self.cut, "v1")))
            found.append(Predicate(self.step, 2, ("v1", "v2"), frozenset({"function", "acyclic"}), forest))
        if self.sharing:
            found.append(_unary(self.shared, self._shared()))
        found.append(Predicate(self.closure, 2, ("v1", "v2"), CLOSED, reflexive_closure(self.step, "v1", "v2")))
        if self.kind != ACYCLIC:
            found.append(_unary(self.on_cycle, self._on_cycle()))
        found += [
            _unary(f"r[{self.name},{root}]", Exists("v1", conj(at(root, "v1"), at(self.closure, "v1", "v"))))
            for root in self.roots(roots)
        ]
        if self.kind == CIRCULAR and self.whole:
            found += [_unary(self.reach(root), self._reached(root)) for root in self.roots(roots)]
        return [*found, *self._null_cells(roots)]

    def _shared(self) -> Formula:
        """Two cells point to the node: of two nodes, or two cells of one node."""
        name = self.name
        two = exists(["v1", "v2"], conj(Not(Equal("v1", "v2")), at(name, "v1", "v"), at(name, "v2", "v")))
        if self.function:
            return two
        same = [
            exists(["v1"], conj(at(f, "v1", "v"), at(g, "v1", "v")))
            for i, f in enumerate(self.members)
            for g in self.members[i + 1 :]
        ]
        return disj(two, *same)

    def _on_cycle(self) -> Formula:
        if self.kind == CYCLIC:
            return Exists("v1", conj(at(self.name, "v", "v1"), at(self.closure, "v1", "v")))
        there, back = at(self.closure, "v2", "v"), at(self.closure, "v", "v1")
        return exists(["v1", "v2"], conj(at(self.cut, "v1"), at(self.name, "v1", "v2"), there, back))

    def _reached(self, root: str) -> Formula:
        """From the root along the forest, or on after the cut edge."""
        here = at(f"r[{self.name},{root}]", "v")
        start, on = at(f"r[{self.name},{root}]", "v1"), at(self.closure, "v2", "v")
        return disj(here, exists(["v1", "v2"], conj(start, at(self.cut, "v1"), at(self.name, "v1", "v2"), on)))

    def _null_cells(self, roots: Mapping[str, Set[str]]) -> list[Predicate]:
        """Where a node has several cells, what is below does not tell which of them is null."""
        if self.function:
            return []
        found = [Predicate(f"has[{m}]", 1, ("v",), definition=exists(["v1"], at(m, "v", "v1"))) for m in self.members]
        found += [
            Predicate(
                f"nn[{root}->{m}]",
                0,
                (),
                definition=exists(["v1", "v2"], conj(at(root, "v1"), at(m, "v1", "v2"))),
                abstraction=True,
            )
            for root, edges in roots.items()
            for m in self.members
            if m in edges
        ]
        return found

    def rules(self) -> list[Rule]:
        """Facts about closures that the automatic rules do not say."""
        t, origin = self.closure, f"closure of {self.name}"
        apart = Not(at(t, "v1", "v2"))
        found = [
            Rule(apart, Not(at(self.step, "v1", "v2")), origin),
            Rule(apart, Not(Equal("v1", "v2")), origin),
        ]
        if not self.function or self.kind == CIRCULAR:  # a path has a first and a last step
            first = exists(["v3"], conj(at(self.step, "v1", "v3"), at(t, "v3", "v2")))
            last = exists(["v3"], conj(at(t, "v1", "v3"), at(self.step, "v3", "v2")))
            found += [Rule(conj(at(t, "v1", "v2"), Not(step)), Equal("v1", "v2"), origin) for step in (first, last)]
        found.append(self._only_step())
        if self.sharing:
            found.append(Rule(Not(at(self.shared, "v")), Not(at(self.crowded, "v")), f"sharing of {self.name}"))
        if self.function:  # what one node reaches along a function is a line
            line = exists(["v1"], conj(at(t, "v1", "v2"), at(t, "v1", "v3"), Not(at(t, "v2", "v3"))))
            found.append(Rule(line, at(t, "v3", "v2"), f"{self.name} is a function"))
        return found

    def _only_step(self) -> Rule:
        """What a node reaches and no other node can be the first step to is its next node."""
        t = self.closure
        others = forall(["v3"], disj(Equal("v3", "v2"), Not(at(self.step, "v1", "v3")), Not(at(t, "v3", "v2"))))
        body = conj(at(t, "v1", "v2"), Not(Equal("v1", "v2")), others)
        return Rule(body, at(self.step, "v1", "v2"), f"a path of {self.name} has a first step")


def groups_of(shape: ShapeClass, edges: Sequence[tuple[str, str]], sizes: Mapping[str, set[int]]) -> list[Group]:
    """The forward cells together, each back cell alone (for each target offset), each circular cell alone.

    Cells of objects of different sizes (`sizes`) are never in one object: together they are a function.
    """
    plain = ACYCLIC if shape.acyclic else CYCLIC
    cells = {cell for cell, _ in edges}
    forward = [(cell, name) for cell, name in edges if cell not in shape.back | shape.circular]
    found = []
    if forward:
        members = tuple(name for _, name in forward)
        union = "down" if "down" not in cells else "down*"
        own = tuple(dict.fromkeys(cell for cell, _ in forward))
        function = sum(len(sizes[cell]) for cell in own) == len(set().union(*(sizes[cell] for cell in own)))
        found.append(Group(members[0] if len(members) == 1 else union, plain, own, members, function))
    for cell, name in edges:
        if cell in shape.back - shape.circular:
            found.append(Group(name, plain, (cell,), (name,), sharing=len(forward) <= 1))
    for cell in sorted(shape.circular):
        members = tuple(name for c, name in edges if c == cell)
        if members:
            name = members[0] if len(members) == 1 else f"{cell}*"
            found.append(Group(name, CIRCULAR, (cell,), members, whole=cell not in shape.back))
    return found


def cancellation(shape: ShapeClass, edges: Sequence[tuple[str, str]]) -> list[Predicate]:
    """``v->f->b == v`` wherever v->f is not null, for forward cells f and back cells b.

    The other way round, v is one of the forward cells of v->b.
    """
    cells: dict[str, list[str]] = {}
    for cell, name in edges:
        cells.setdefault(cell, []).append(name)
    back = [cell for cell in cells if cell in shape.back]
    forward = [cell for cell in cells if cell not in shape.back]
    every = [name for cell in forward for name in cells[cell]]
    found: list[Predicate] = []
    for b in back if forward else ():
        found += [_unary(f"c[{f},{b}]", _returns(cells[f], cells[b])) for f in forward]
        found.append(_unary(f"c[{b},{'down' if len(forward) > 1 else forward[0]}]", _returns(cells[b], every)))
    return found


def _returns(there: Sequence[str], back: Sequence[str]) -> Formula:
    """Wherever an edge of the first kind leads, one of the second kind leads back."""
    forth = disj(*(at(name, "v", "v1") for name in there))
    return forall(["v1"], implies(forth, disj(*(at(name, "v1", "v") for name in back))))


def _unary(name: str, definition: Formula) -> Predicate:
    return Predicate(name, 1, ("v",), definition=definition, abstraction=True)
