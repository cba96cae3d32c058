"""Groups of pointer cells whose closure is tracked, and the instrumentation predicates and rules of each group.

An acyclic group has the closure ``t`` of its edges. A circular group has one cell, so its edges are a function f. Each
cycle has one cut edge, at the node with ``cut[f]``. The other edges ``sfe[f]`` are a forest, and ``t`` is the closure
of the forest. The closure ``T`` of f itself has its own updates (`removal`, `addition`), which use the forest as the
order on a cycle. A cyclic group has the closure of arbitrary edges, with little precision. A local group has no
closure: it has back cells of trees that may form cycles (for example if the root is its own parent), and the `local`
cells of the shape class. (Loginov, Reps, Sagiv. Automated verification of the Deutsch-Schorr-Waite tree-traversal
algorithm, SAS 2006, and Loginov's thesis, on spanning forests; the names are those of TVLA's examples.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kleene.logic.formula import (
    Equal,
    Exists,
    Formula,
    Not,
    conj,
    disj,
    exists,
    forall,
    neg,
    reflexive_closure,
)
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.semantics.vocabulary.names import at
from kleene.transformers.action import Rule, Update

if TYPE_CHECKING:
    from kleene.semantics.vocabulary.tags import Tag

ACYCLIC, CIRCULAR, CYCLIC, LOCAL = "acyclic", "circular", "cyclic", "local"
CLOSED = frozenset({"transitive", "reflexive"})
UNION = "down"
"""The name of the union of several forward edges; further unions have numbers."""


@dataclass(frozen=True)
class ShapeClass:
    """A choice of instrumentation predicates.

    `back` are cells that point backwards, `circular` cells that may form cycles. `cells` separates nodes by their null
    cells; `children` separates the nodes that a variable's node points to; `values` separates nodes by the numbers in
    them (None: in lists). `headers` are cells whose targets are tracked like those of variables. `lanes`
    are cells that run along the list of another cell and skip nodes. `local` are cells without a closure, and so are
    `references` (`references.py`), which separate nodes by whether they are null. `counts` relates counters to the
    numbers of nodes of lists. `parts` are the cells of structures that no pointer connects, each with groups of its
    own; without them, all cells are one part. `cyclic` are the cells of parts that may have cycles, where the others
    have none. `zeros` knows of numbers that are computed only whether they are 0. `tags` are numbers in nodes that say
    which of their cells are NULL.
    """

    name: str
    acyclic: bool = True
    back: frozenset[str] = frozenset()
    circular: frozenset[str] = frozenset()
    cells: bool = False
    children: bool = False
    values: bool | None = None
    headers: frozenset[str] = frozenset()
    lanes: tuple[str, ...] = ()
    local: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
    counts: bool = False
    parts: tuple[frozenset[str], ...] = ()
    cyclic: frozenset[str] = frozenset()
    zeros: bool = False
    tags: tuple[Tag, ...] = ()


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
    by_cells: bool = False
    """Whether nodes are told apart by which of their cells are null."""
    nulls: bool = False
    """Whether a local group has predicates of the nodes whose cells are not null, which tell no nodes apart."""
    by_children: bool = False
    """Whether the nodes that a variable's node points to are told apart from all others."""
    sharing: bool = True
    """Whether there is a predicate of shared nodes; not against the direction of trees, where inner nodes are."""

    def __hash__(self) -> int:  # the name tells groups apart, and keeps its hash
        return hash(self.name)

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
        """The core predicate of nodes with three pointers to them: without one of these, the node is still shared."""
        return f"is3[{self.name}]"

    @property
    def whole_closure(self) -> str:
        """The closure of a circular group's edges, the cut ones with them."""
        return f"T[{self.name}]"

    @property
    def looping(self) -> str:
        """The predicate of nodes of a local group that point to themselves."""
        return f"loop[{self.name}]"

    @property
    def on_cycle(self) -> str:
        """The predicate of nodes on a cycle; of those with a cut, the ones whose edge closes it."""
        return f"c[{self.name}]"

    def reach(self, root: str) -> str:
        """The predicate of everything that a variable reaches."""
        return f"rt[{self.name},{root}]" if self.kind == CIRCULAR else self.reach_before_cuts(root)

    def reach_before_cuts(self, root: str) -> str:
        """The predicate of everything that a variable reaches without the cut edges of a circular group."""
        return f"r[{self.name},{root}]"

    def reached_at_least(self, root: str) -> str:
        """The same, or without such a predicate the nodes that the variable reaches without the cut edges."""
        return self.reach(root) if self.whole else self.reach_before_cuts(root)

    # Predicates -----------------------------------------------------------------------------------------------

    def core(self) -> list[Predicate]:
        alone = self.kind == ACYCLIC and self.members == (self.name,)
        properties = frozenset({"function", "acyclic"} if alone else {"function"})
        core = [Predicate(m, 2, ("v1", "v2"), properties, role=Role(RoleKind.CELL, m)) for m in self.members]
        if self.sharing:
            core.append(Predicate(self.crowded, 1, ("v",), role=Role(RoleKind.CROWDED, self.name)))
        if self.kind == CIRCULAR:
            role = Role(RoleKind.CUT, self.name)
            core.append(Predicate(self.cut, 1, ("v",), abstraction=True, unique_per_component=(self.name,), role=role))
        return core

    def roots(self, roots: Mapping[str, Set[str]]) -> list[str]:
        """The variables whose objects have edges of the group; `roots` maps variables to the edges of their objects."""
        return [root for root, edges in roots.items() if edges & set(self.members)]

    def relations(self) -> list[Predicate]:
        """The relations that are made of the edges: their union, and without the cut edges."""
        acyclic = frozenset({"acyclic"} if self.kind == ACYCLIC else ())
        function = frozenset({"function"} if self.function else ())
        relations: list[Predicate] = []
        if self.members != (self.name,):
            union = disj(*(at(m, "v1", "v2") for m in self.members))
            role = Role(RoleKind.UNION, self.name)
            relations.append(Predicate(self.name, 2, ("v1", "v2"), acyclic | function, union, role=role))
        if self.kind == CIRCULAR:
            forest = conj(at(self.name, "v1", "v2"), Not(at(self.cut, "v1")))
            tree = frozenset({"function", "acyclic"})
            relations.append(Predicate(self.step, 2, ("v1", "v2"), tree, forest, role=Role(RoleKind.FOREST, self.name)))
        return relations

    def instrumentation(self, roots: Mapping[str, Set[str]]) -> list[Predicate]:
        instrumentation = self.relations()
        if self.kind == LOCAL:
            known = self._has_cells() if self.by_cells or self.nulls else []
            return [
                *instrumentation,
                self._predicate(self.looping, at(self.name, "v", "v"), RoleKind.SELF_LOOP),
                *known,
            ]
        if self.sharing:
            instrumentation.append(self._predicate(self.shared, self._sharing(), RoleKind.SHARED))
        closure, role = reflexive_closure(self.step, "v1", "v2"), Role(RoleKind.CLOSURE, self.name)
        instrumentation.append(Predicate(self.closure, 2, ("v1", "v2"), CLOSED, closure, role=role))
        if self.kind == CIRCULAR:
            whole = reflexive_closure(self.name, "v1", "v2")
            role = Role(RoleKind.WHOLE_CLOSURE, self.name)
            instrumentation.append(Predicate(self.whole_closure, 2, ("v1", "v2"), CLOSED, whole, role=role))
        if self.kind != ACYCLIC:
            instrumentation.append(self._predicate(self.on_cycle, self._on_cycle(), RoleKind.ON_CYCLE))
        instrumentation += [
            _unary(name, Exists("v1", conj(at(role.root, "v1"), at(self.closure, "v1", "v"))), role)
            for name, role in self.reach_roles(roots).items()
            if role.kind is RoleKind.REACHED
        ]
        if self.kind == CIRCULAR and self.whole:
            whole_reached = {n: r for n, r in self.reach_roles(roots).items() if r.kind is RoleKind.WHOLE_REACHED}
            instrumentation += [
                _unary(name, self._reachability(role.root), role) for name, role in whole_reached.items()
            ]
        return [*instrumentation, *self._null_cells(roots)]

    def reach_roles(self, roots: Mapping[str, Set[str]]) -> dict[str, Role]:
        """The predicates of what variables reach; of circular groups, first without the cut edges, then with them."""
        reach_roles = {
            self.reach_before_cuts(root): Role(RoleKind.REACHED, self.name, root) for root in self.roots(roots)
        }
        if self.kind == CIRCULAR:
            whole = RoleKind.WHOLE_REACHED
            reach_roles |= {self.reach(root): Role(whole, self.name, root) for root in self.roots(roots)}
        return reach_roles

    def _predicate(self, name: str, definition: Formula, kind: RoleKind) -> Predicate:
        return _unary(name, definition, Role(kind, self.name))

    def _sharing(self) -> Formula:
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
        closure = self.whole_closure if self.kind == CIRCULAR else self.closure
        return Exists("v1", conj(at(self.name, "v", "v1"), at(closure, "v1", "v")))

    def _reachability(self, root: str) -> Formula:
        return Exists("v1", conj(at(root, "v1"), at(self.whole_closure, "v1", "v")))

    def _has_cells(self) -> list[Predicate]:
        return [replace(has_cell_predicate(m), abstraction=self.by_cells) for m in self.members]

    def _null_cells(self, roots: Mapping[str, Set[str]]) -> list[Predicate]:
        """For groups of several cells: predicates for the non-null cells, which reachability does not determine."""
        if self.function:
            return []
        null_cells = self._has_cells()
        null_cells += [
            Predicate(
                not_null(root, m),
                0,
                (),
                definition=exists(["v1", "v2"], conj(at(root, "v1"), at(m, "v1", "v2"))),
                abstraction=True,
                role=Role(RoleKind.NOT_NULL, m, root),
            )
            for root, edges in roots.items()
            for m in self.members
            if m in edges
        ]
        null_cells += [
            _unary(
                f"at[{root}->{m}]",
                exists(["v1"], conj(at(root, "v1"), at(m, "v1", "v"))),
                Role(RoleKind.CHILD, m, root),
            )
            for root, edges in roots.items()
            for m in self.members
            if m in edges and self.by_children
        ]
        return null_cells

    # Updates of acyclic groups of several cells -----------------------------------------------------------------

    def lost_paths(self, source: Callable[[str], Formula], edge: str) -> Callable[[str, str], Formula]:
        """Paths destroyed by removing this edge: those through it, unless another path exists.

        Another path must enter the nodes below the edge at a shared node. So it does not exist in trees.
        """
        t = self.closure
        others = [m for m in self.members if m != edge]

        def removed_edge(v: str, w: str) -> Formula:
            return conj(source(v), at(edge, v, w), *(Not(at(m, v, w)) for m in others))

        def above(v: str) -> Formula:
            return exists(["u", "w"], conj(removed_edge("u", "w"), at(t, v, "u")))

        def below(v: str) -> Formula:
            return exists(["u", "w"], conj(removed_edge("u", "w"), at(t, "w", v)))

        def lost_paths(v: str, w: str) -> Formula:
            if self.function:
                return conj(above(v), below(w))
            joins = exists(["s"], conj(at(self.shared, "s"), below("s"), at(t, "s", w)))
            step = conj(above("c"), at(self.name, "c", "d"), neg(removed_edge("c", "d")), neg(above("d")))
            around = exists(["c", "d"], conj(at(t, v, "c"), step, at(t, "d", w)))
            return conj(above(v), below(w), neg(conj(joins, around)))

        return lost_paths

    def unlinking(self, source: Callable[[str], Formula], edge: str, roots: Mapping[str, Set[str]]) -> list[Update]:
        """Updates for the removal of the edge of one node, in a group of several cells."""
        t, lost = self.closure, self.lost_paths(source, edge)
        unlinking = [Update(t, ("v1", "v2"), conj(at(t, "v1", "v2"), neg(lost("v1", "v2"))))]
        lost_here = lost("v1", "v")
        for root in self.roots(roots):
            beyond = exists(["v1"], conj(at(root, "v1"), lost_here))
            unlinking.append(Update(self.reach(root), ("v",), conj(at(self.reach(root), "v"), neg(beyond))))
        return unlinking

    # Updates of circular groups -------------------------------------------------------------------------------

    def removal(self, source: Callable[[str], Formula]) -> list[Update]:
        """Updates for the removal of the edge of one node, where `source` holds (at most one node).

        A path that ends at the source stays; another path stays if it does not use the edge. If the path to the source
        is in the forest, its nodes lie between its ends in the forest. Otherwise it follows the cycle: in the forest up
        to the cut edge, and then the nodes before the source.
        """
        t, whole = self.closure, self.whole_closure
        direct = conj(at(t, "v1", "u"), at(t, "v1", "v2"), at(t, "v2", "u"))
        around = conj(Not(at(t, "v1", "u")), disj(at(t, "v1", "v2"), at(t, "v2", "u")))
        elsewhere = Not(Equal("v2", "u"))
        lost = exists(["u"], conj(source("u"), at(whole, "v1", "u"), elsewhere, neg(disj(direct, around))))
        broken = exists(["u"], conj(source("u"), at(whole, "v", "u")))
        return [
            Update(whole, ("v1", "v2"), conj(at(whole, "v1", "v2"), neg(lost))),
            Update(self.on_cycle, ("v",), conj(at(self.on_cycle, "v"), neg(broken))),
        ]

    def addition(self, source: Callable[[str], Formula], target: Callable[[str], Formula]) -> list[Update]:
        """Updates for a new edge: nodes that reach its source now reach the nodes that its target reaches."""
        whole = self.whole_closure
        ends = [source("u"), target("w")]
        longer = exists(["u", "w"], conj(*ends, at(whole, "v1", "u"), at(whole, "w", "v2")))
        closed = exists(["u", "w"], conj(*ends, at(whole, "w", "u"), at(whole, "v", "u"), at(whole, "w", "v")))
        return [
            Update(whole, ("v1", "v2"), disj(at(whole, "v1", "v2"), longer)),
            Update(self.on_cycle, ("v",), disj(at(self.on_cycle, "v"), closed)),
        ]

    # Rules ----------------------------------------------------------------------------------------------------

    def rules(self) -> list[Rule]:
        """Facts about closures that the automatic rules do not contain."""
        if self.kind == LOCAL:
            return []
        rules = self._closure_rules(self.step, self.closure, steps=not self.function or self.kind == CIRCULAR)
        if self.kind == ACYCLIC and not self.function:
            rules += self._tree_rules()
        if self.kind == CIRCULAR:
            rules += self._closure_rules(self.name, self.whole_closure, steps=True)
            t, whole, cycle = self.closure, self.whole_closure, self.on_cycle
            both = conj(at(whole, "v1", "v2"), at(whole, "v2", "v1"))
            rules += [
                Rule(at(t, "v1", "v2"), at(whole, "v1", "v2"), f"{self.step} is part of {self.name}"),
                Rule(Not(at(whole, "v1", "v2")), Not(at(t, "v1", "v2")), f"{self.step} is part of {self.name}"),
                Rule(conj(both, Not(Equal("v1", "v2"))), at(cycle, "v1"), f"cycles of {self.name}"),
                Rule(conj(at(cycle, "v1"), at(whole, "v1", "v2")), at(whole, "v2", "v1"), f"cycles of {self.name}"),
                Rule(  # the forest orders the nodes of a cycle
                    conj(at(cycle, "v1"), at(whole, "v1", "v2"), Not(at(t, "v1", "v2"))),
                    at(t, "v2", "v1"),
                    f"cycles of {self.name}",
                ),
            ]
        return rules

    def _tree_rules(self) -> list[Rule]:
        """An unshared node has one parent; two paths to a node meet at a shared node, or one contains the other."""
        t, shared, origin = self.closure, self.shared, f"{self.name} without sharing"
        other = exists(["v3"], conj(at(t, "v3", "v2"), Not(at(t, "v3", "v1")), Not(Equal("v3", "v2"))))
        meets = exists(["w"], conj(at(shared, "w"), Not(Equal("w", "v1")), at(t, "v1", "w"), at(t, "w", "v3")))
        alone = conj(at(t, "v1", "v3"), neg(meets), Not(at(t, "v1", "v2")))
        return [
            Rule(conj(Not(at(shared, "v2")), other), Not(at(self.name, "v1", "v2")), origin),
            Rule(exists(["v1"], conj(alone, Not(at(t, "v2", "v1")))), Not(at(t, "v2", "v3")), origin),
            Rule(exists(["v3"], conj(alone, at(t, "v2", "v3"))), at(t, "v2", "v1"), origin),
            *self._cell_rules(),
        ]

    def _cell_rules(self) -> list[Rule]:
        """A cell that is not null points to the only node that it can point to; and three cells are not two."""
        cell_rules: list[Rule] = []
        for m in self.members:
            others = forall(["v3"], disj(Equal("v3", "v2"), Not(at(m, "v1", "v3"))))
            cell_rules.append(Rule(conj(at(has_cell(m), "v1"), others), at(m, "v1", "v2"), f"{m} points to something"))
        for i, f in enumerate(self.members if self.sharing else ()):
            for g in self.members[i + 1 :]:
                both = exists(["v3"], conj(at(f, "v3", "v2"), at(g, "v3", "v2"), Not(Equal("v3", "v1"))))
                two = conj(both, Not(at(self.crowded, "v2")))
                cell_rules.append(Rule(two, Not(at(self.name, "v1", "v2")), f"sharing of {self.name}"))
        return cell_rules

    def _closure_rules(self, step: str, t: str, *, steps: bool) -> list[Rule]:
        origin = f"closure of {step}"
        apart = Not(at(t, "v1", "v2"))
        closure_rules = [
            Rule(apart, Not(at(step, "v1", "v2")), origin),
            Rule(apart, Not(Equal("v1", "v2")), origin),
        ]
        if steps:  # transitivity, contrapositive
            closure_rules += [
                Rule(exists(["v1"], conj(at(t, "v1", "v2"), Not(at(t, "v1", "v3")))), Not(at(t, "v2", "v3")), origin),
                Rule(exists(["v3"], conj(at(t, "v2", "v3"), Not(at(t, "v1", "v3")))), Not(at(t, "v1", "v2")), origin),
            ]
            # a path has a first and a last step
            first = exists(["v3"], conj(at(step, "v1", "v3"), at(t, "v3", "v2")))
            last = exists(["v3"], conj(at(t, "v1", "v3"), at(step, "v3", "v2")))
            closure_rules += [
                Rule(conj(at(t, "v1", "v2"), Not(edge)), Equal("v1", "v2"), origin) for edge in (first, last)
            ]
        closure_rules.append(self._only_step(step, t))
        if self.sharing and t == self.closure:
            closure_rules.append(Rule(Not(at(self.shared, "v")), Not(at(self.crowded, "v")), f"sharing of {self.name}"))
        if self.kind == CIRCULAR:  # a path along a function starts with its only edge
            onward = exists(["v1"], conj(at(step, "v1", "v2"), at(t, "v1", "v3"), Not(Equal("v1", "v3"))))
            closure_rules.append(Rule(onward, at(t, "v2", "v3"), f"{step} is a function"))
        if self.function:  # the nodes that one node reaches along a function are in a line
            line = exists(["v1"], conj(at(t, "v1", "v2"), at(t, "v1", "v3"), Not(at(t, "v2", "v3"))))
            closure_rules.append(Rule(line, at(t, "v3", "v2"), f"{self.name} is a function"))
        return closure_rules

    def _only_step(self, step: str, t: str) -> Rule:
        """If a node reaches another, and no third node can be the first step, the other is its next node."""
        others = forall(["v3"], disj(Equal("v3", "v2"), Not(at(step, "v1", "v3")), Not(at(t, "v3", "v2"))))
        body = conj(at(t, "v1", "v2"), Not(Equal("v1", "v2")), others)
        return Rule(body, at(step, "v1", "v2"), f"a path of {step} has a first step")


def groups_of(shape: ShapeClass, edges: Sequence[tuple[str, str]], sizes: Mapping[str, Set[int]]) -> list[Group]:
    """The groups of each part: forward cells together; alone each back, header, lane (by offset) and circular cell.

    Cells of objects of different sizes (`sizes`) are never in one object: together they are a function.
    """
    result: list[Group] = []
    for part in parts_of(shape, edges):
        result += _groups_of_part(shape, part, sizes, _union_name(edges, result))
    return result


def parts_of(shape: ShapeClass, edges: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The edges of each part of the cells."""
    if not shape.parts:
        return [list(edges)]
    return [part for cells in shape.parts if (part := [(cell, name) for cell, name in edges if cell in cells])]


def _union_name(edges: Sequence[tuple[str, str]], known: Sequence[Group]) -> str:
    """A name for the union of several edges that no cell and no group has."""
    taken = {cell for cell, _ in edges} | {group.name for group in known}
    names = (UNION, f"{UNION}*", *(f"{UNION}{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _groups_of_part(
    shape: ShapeClass, edges: Sequence[tuple[str, str]], sizes: Mapping[str, Set[int]], union: str
) -> list[Group]:
    plain = ACYCLIC if shape.acyclic and not shape.cyclic & {cell for cell, _ in edges} else CYCLIC
    alone = shape.headers | set(shape.lanes)
    single = shape.circular | shape.local | shape.references
    forward = [(cell, name) for cell, name in edges if cell not in shape.back | single | alone]
    result = []
    branching = False
    if forward:
        members = tuple(name for _, name in forward)
        own = tuple(dict.fromkeys(cell for cell, _ in forward))
        function = sum(len(sizes[cell]) for cell in own) == len(set().union(*(sizes[cell] for cell in own)))
        name = members[0] if len(members) == 1 else union
        result.append(Group(name, plain, own, members, function, by_cells=shape.cells, by_children=shape.children))
        branching = not function
    for cell, name in edges:
        if cell in shape.back - single:
            result.append(Group(name, plain, (cell,), (name,), sharing=len(forward) <= 1))
        elif cell in alone - single:
            result.append(Group(name, plain, (cell,), (name,), sharing=cell in shape.lanes))
    for cell in sorted(single):
        members = tuple(name for c, name in edges if c == cell)
        if members:
            name = members[0] if len(members) == 1 else f"{cell}*"
            if cell in shape.references:
                result.append(Group(name, LOCAL, (cell,), members, sharing=False, by_cells=True))
            elif cell in shape.local:
                sharing, by_cells = not branching, shape.cells
                result.append(Group(name, LOCAL, (cell,), members, sharing=sharing, by_cells=by_cells, nulls=True))
            elif cell in shape.back and branching:
                result.append(Group(name, LOCAL, (cell,), members, sharing=False))
            else:
                result.append(Group(name, CIRCULAR, (cell,), members, whole=cell not in shape.back))
    return result


def _unary(name: str, definition: Formula, role: Role) -> Predicate:
    return Predicate(name, 1, ("v",), definition=definition, abstraction=True, role=role)


def has_cell(edge: str) -> str:
    """The predicate of nodes whose cell is not null."""
    return f"has[{edge}]"


def has_cell_predicate(edge: str) -> Predicate:
    known = _unary(has_cell(edge), exists(["v1"], at(edge, "v", "v1")), Role(RoleKind.HAS_CELL, edge))
    return replace(known, abstraction=False)


def not_null(root: str, edge: str) -> str:
    """The predicate that a variable's node has a cell that is not null."""
    return f"nn[{root}->{edge}]"
