"""The predicates that stand for a C program's memory, with the rules and instrumentation of a shape class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations

from kleene.cfa.expressions import Variable, is_later_ghost
from kleene.cfa.operations import Specified
from kleene.cfa.types import PointerType
from kleene.logic.earlier import NEW
from kleene.logic.formula import FALSE, UNKNOWN, Formula, Not, conj, disj, exists, predicates_of, reflexive_closure
from kleene.logic.roles import Role, RoleKind
from kleene.logic.transform import up_to_order
from kleene.logic.vocabulary import RESERVED, Predicate, Vocabulary
from kleene.passes.facts.memory import Memory, Place
from kleene.passes.pointers.function_values import is_function_number
from kleene.semantics.vocabulary.cancellation import Cancellation, cancelling
from kleene.semantics.vocabulary.data_cells import data_cells
from kleene.semantics.vocabulary.groups import (
    CIRCULAR,
    LOCAL,
    UNION,
    Group,
    ShapeClass,
    groups_of,
)
from kleene.semantics.vocabulary.held_blocks import Holding, Kinds, holdings, reachable
from kleene.semantics.vocabulary.integer_members import integer_names
from kleene.semantics.vocabulary.lanes import Lane, lanes_of
from kleene.semantics.vocabulary.names import FREED, HEAP, MARKER, OPAQUE, TEMPORARY, at
from kleene.semantics.vocabulary.precision import EVERYTHING, Instrumentation, Precision, Roots
from kleene.semantics.vocabulary.tags import TaggedCells
from kleene.transformers.action import Rule, Update


@dataclass(frozen=True)
class Pointer:
    """A pointer variable or temporary: where it may point; one predicate for each offset."""

    name: str
    places: tuple[Place, ...]
    tracked: bool = True
    kind: RoleKind = RoleKind.POINTER

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        return tuple(sorted({offset for _, offset in self.places}))

    def predicate(self, offset: int) -> str:
        return self.name if offset == 0 else f"{self.name}+{offset}"

    def at(self, offset: int, v: str = "v") -> Formula:
        return at(self.predicate(offset), v)

    def somewhere(self, v: str = "v") -> Formula:
        """The pointer points into the object, wherever."""
        return disj(*(self.at(offset, v) for offset in self.offsets))

    @property
    def undefined(self) -> str:
        return f"undef[{self.name}]"


@dataclass
class Symbols:
    """All predicates of a translation; temporaries and integer predicates are added as they are needed."""

    memory: Memory
    shape: ShapeClass
    precision: Precision = EVERYTHING
    hidden: frozenset[Variable] = frozenset()
    """Variables that are not tracked during the operation that is being translated."""
    complete: bool = True
    """Whether all pointers that are live after it are tracked then."""
    _names: dict[Variable, str] = field(default_factory=dict)
    _pointers: dict[str, Pointer] = field(default_factory=dict)
    _nullary: dict[str, Role] = field(default_factory=dict)
    _unary: dict[str, Role] = field(default_factory=dict)
    _edges_by_sizes: dict[frozenset[int], frozenset[str]] = field(default_factory=dict)
    _header_edges: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    _reachable: dict[tuple[str, bool], Formula] = field(default_factory=dict)
    """What `reachable` said since the last pointer was added."""

    def __post_init__(self) -> None:
        types = self.memory.structure_types
        if len(types) > 1:
            self.shape = replace(self.shape, parts=tuple(type_.cells for type_ in types))

    @property
    def pointers(self) -> list[Pointer]:
        """The pointers that have predicates."""
        return list(self._pointers.values())

    @property
    def all_pointers_tracked(self) -> bool:
        return (
            self.complete
            and all(self.precision.tracks(v.name) for v in self.memory.pointers)
            and all(map(self.precision.tracks_cell, self.memory.cell_targets))
        )

    # Names ----------------------------------------------------------------------------------------------------

    def name(self, variable: Variable) -> str:
        """The name of a variable's predicate: its own, unless that stands for something else."""
        name = self._names.get(variable)
        if name is None:
            taken = {*self._names.values(), *self._reserved_names}
            name = variable.name
            while name in taken or _is_name_of_temporary(name):
                name += "'"
            self._names[variable] = name
        return name

    @property
    def _reserved_names(self) -> set[str]:
        specified = (NEW,) if any(isinstance(e.label, Specified) for e in self.memory.cfa.edges) else ()
        unions = (UNION, *(f"{UNION}{number}" for number in range(2, len(self.memory.structure_types) + 1)))
        return {FREED, HEAP, OPAQUE, *unions, *RESERVED, *self.memory.cell_targets, *specified}

    def pointer(self, variable: Variable) -> Pointer:
        places = self.memory.pointer_places.get(variable, set())
        if not self.precision.tracks(variable.name) or variable in self.hidden:
            return Pointer(self.name(variable), tuple(sorted(places)), tracked=False)
        return self.pointer_named(self.name(variable), places)

    def temporary(self, number: int, places: Iterable[Place]) -> Pointer:
        """A pointer that lives during one operation only."""
        own = tuple(sorted(set(places)))
        return replace(self.pointer_named(f"{TEMPORARY}{number}", own, RoleKind.TEMPORARY), places=own)

    def is_temporary(self, pointer: Pointer) -> bool:
        return pointer.kind is RoleKind.TEMPORARY

    def integer(self, variable: Variable, constant: int) -> str:
        """The predicate that an integer variable has a value."""
        name = self.name(variable)
        return self.nullary(f"{name}={constant}", Role(RoleKind.INTEGER, name, value=constant))

    def integer_cell(self, offset: int, constant: int) -> str:
        """The predicate of objects with an integer of that value at the offset."""
        place = self.memory.ghost_names.get(offset) or self._integer_names.get(offset, f"@{offset}")
        return self.unary(f"{place}={constant}", Role(RoleKind.INTEGER_CELL, offset=offset, value=constant))

    @property
    def tagged(self) -> frozenset[str]:
        """The predicates of numbers that say which cells of an object are NULL."""
        return frozenset(name for tag in self.shape.tags for name in self._numbers_at(tag.offset).values())

    @cached_property
    def _integer_names(self) -> dict[int, str]:
        return integer_names(self.memory.program.records, self.memory.sizes)

    def pointer_named(self, name: str, places: Iterable[Place], kind: RoleKind = RoleKind.POINTER) -> Pointer:
        """The pointer of that name; its places grow with what it is given."""
        known = self._pointers.get(name)
        union = tuple(sorted({*places, *(known.places if known else ())}))
        if known is None or known.places != union:
            self._pointers[name] = Pointer(name, union, kind=kind)
            for dependent in ("absent", "roots", "pointed"):
                self.__dict__.pop(dependent, None)
            self._reachable.clear()
        return self._pointers[name]

    def mark(self, count: int) -> None:
        """So many markers for calls, and opaque objects if there are back pointers."""
        for number in range(1, count + 1):
            self.pointer_named(f"{MARKER}{number}", {(size, 0) for size in self.memory.sizes}, RoleKind.MARKER)
        if count and self.shape.back:
            self.unary(OPAQUE, Role(RoleKind.OPAQUE))

    def object(self, variable: Variable) -> str:
        name = f"&{self.name(variable)}"
        return self.unary(name, Role(RoleKind.OBJECT, name))

    @property
    def unaries(self) -> tuple[str, ...]:
        return tuple(self._unary)

    def unary(self, name: str, role: Role) -> str:
        self._unary[name] = role
        return name

    def nullary(self, name: str, role: Role) -> str:
        self._nullary[name] = role
        return name

    def is_a(self, name: str, kind: RoleKind) -> bool:
        """Whether the unary predicate has a role of that kind."""
        return name in self._unary and self._unary[name].kind is kind

    def undefined_predicate(self, pointer: Pointer) -> str:
        """The predicate that a pointer is not initialized."""
        temporary = self.is_temporary(pointer)
        kind = RoleKind.UNDEFINED_TEMPORARY if temporary else RoleKind.UNDEFINED_POINTER
        return self.nullary(pointer.undefined, Role(kind, pointer.name))

    def cell(self, cell: str, target: int) -> str:
        """The edge predicate of a pointer cell, for targets at one offset."""
        return cell if target == 0 else f"{cell}+{target}"

    def target_offsets(self, cell: str) -> list[int]:
        return sorted({offset for _, offset in self.memory.cell_targets[cell]})

    def cell_undefined(self, cell: str) -> str:
        return self.unary(f"undef.{cell}", Role(RoleKind.UNDEFINED_CELL, cell))

    def size(self, size: int) -> str | None:
        """The predicate of objects of that size, if there are several sizes."""
        if len(self.memory.sizes) <= 1:
            return None
        return self.unary(f"size[{size}]", Role(RoleKind.SIZE, value=size))

    # Edges ----------------------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> list[tuple[str, str]]:
        """(cell, predicate) of every edge predicate."""
        cells = self.memory.cell_targets
        tracked = [cell for cell in cells if self.precision.tracks_cell(cell)]
        return [(cell, self.cell(cell, target)) for cell in tracked for target in self.target_offsets(cell)]

    @cached_property
    def _owners(self) -> dict[str, set[int]]:
        """The sizes of the objects that have each cell."""
        sizes: dict[str, set[int]] = {}
        for (size, _), cell in self.memory.cell_of.items():
            sizes.setdefault(cell, set()).add(size)
        return sizes

    @cached_property
    def _sizes_of_targets(self) -> dict[str, set[int]]:
        return {cell: {size for size, _ in places} for cell, places in self.memory.cell_targets.items()}

    @cached_property
    def groups(self) -> list[Group]:
        return groups_of(self.shape, self.edges, self._owners)

    @cached_property
    def cancellation(self) -> Cancellation:
        return Cancellation(self.shape, self.edges, self._owners, self._sizes_of_targets)

    @property
    def followed(self) -> list[Group]:
        """The groups with a closure."""
        return [group for group in self.groups if group.kind != LOCAL]

    @cached_property
    def holdings(self) -> tuple[list[Holding], list[Holding]]:
        kinds: dict[str, Kinds] = {}
        for cell in self.memory.cell_targets:
            places = [place for place, name in self.memory.cell_of.items() if name == cell]
            targets = [(place[0], target) for place in places for target in self.memory.cell_places([place])]
            for offset in self.target_offsets(cell):
                kinds[self.cell(cell, offset)] = frozenset((s, t) for s, (t, o) in targets if o == offset)
        return holdings(self.followed, kinds)

    @cached_property
    def lanes(self) -> list[Lane]:
        return lanes_of(self.shape, self.groups)

    def group_of(self, edge: str) -> Group:
        return next(group for group in self.groups if edge in group.members)

    def edge_focus(self, base: Callable[[str], Formula], edge: str) -> Formula:
        """The focus formula of the target of an object's edge and all nodes reachable from it."""
        closure = self.group_of(edge).closure
        if closure in self.absent:
            return exists(["u"], conj(base("u"), at(edge, "u", "v")))
        return exists(["u", "w"], conj(base("u"), at(edge, "u", "w"), at(closure, "w", "v")))

    def reach_focus(self, source: Pointer, offset: int, edge: str) -> Formula:
        """The focus formula of the nodes reachable from the target of a new edge."""
        closure = self.group_of(edge).closure
        if closure in self.absent:
            return source.at(offset)
        return exists(["u"], conj(source.at(offset, "u"), at(closure, "u", "v")))

    def parent_foci(self, base: Callable[[str], Formula], edge: str) -> list[Formula]:
        """Focus formulas of the nodes in a tree that an edge leads back to: by which of their cells they lead there.

        Without the edge one of these cells is not led back from, and focus that came later could not tell which.
        """
        forward = self.cancellation.led_back(edge)
        tracked = [f for f, name in forward.items() if name not in self.absent]
        return [exists(["u"], conj(base("u"), at(f, "v", "u"))) for f in tracked]

    def reach_foci(self, base: Callable[[str], Formula]) -> list[Formula]:
        """Focus formulas of the nodes reachable from an object: temporaries have no reachability predicates."""
        groups = [group for group in self.groups if group.closure not in self.absent]
        return [exists(["u"], conj(base("u"), at(group.closure, "u", "v"))) for group in groups]

    # The vocabulary -------------------------------------------------------------------------------------------

    def vocabulary(self) -> Vocabulary:
        unique = frozenset({"unique"})
        predicates = [
            Predicate(
                p.predicate(o),
                1,
                ("v",),
                unique,
                abstraction=self._separates(p),
                pointer=True,
                role=Role(p.kind, p.name, offset=o),
            )
            for p in self._pointers.values()
            for o in p.offsets
        ]
        values = self.shape.values
        if values is None:
            values = all(group.function for group in self.groups)
        data = data_cells(self.memory)
        for name, role in self._unary.items():
            stack = role.kind is RoleKind.OBJECT
            chosen = values or role.kind is not RoleKind.INTEGER_CELL or is_function_number(role.value)
            if role.kind is RoleKind.UNDEFINED_CELL and role.of in data:
                chosen = False
            if role.kind is RoleKind.INTEGER_CELL and is_later_ghost(role.offset):
                chosen = False  # what makes the first condition hold is asked of nodes that pointers name
            properties = unique if stack else frozenset()
            predicates.append(Predicate(name, 1, ("v",), properties, abstraction=chosen, pointer=stack, role=role))
        predicates += [Predicate(name, 0, (), abstraction=True, role=role) for name, role in self._nullary.items()]
        blocks = ((HEAP, RoleKind.HEAP), (FREED, RoleKind.FREED))
        predicates += [Predicate(name, 1, ("v",), abstraction=True, role=Role(kind)) for name, kind in blocks]
        for group in self.groups:
            predicates += group.core()
        return Vocabulary((*predicates, *self.instrumentation.predicates))

    @property
    def instrumentation(self) -> Instrumentation:
        """The instrumentation predicates of the precision; without a choice, all.

        What a pointer reaches tells nodes apart if the pointer does.
        """
        everything = self._everything
        if self.precision.instrument is None and self.precision.separating is None:
            return everything
        if self.precision.instrument is None:
            blurred = {r for p in self._pointers.values() if not self._separates(p) for r in self._predicates(p)}
            every = [replace(p, abstraction=p.abstraction and _root(p) not in blurred) for p in everything.predicates]
            return Instrumentation(tuple(every), everything.rules)
        separating = [r for p in self._pointers.values() if self._separates(p) for r in self._predicates(p)]
        separating += [r for r in self.roots if self.is_a(r, RoleKind.OBJECT)]
        relations = [predicate for group in self.groups for predicate in group.relations()]
        data = tuple(name for name in self._unary if self.is_a(name, RoleKind.INTEGER_CELL))
        starts = {p.name for p in self._pointers.values()}
        inside = tuple(r for r in separating if r not in starts and not self.is_a(r, RoleKind.OBJECT))
        roots = self.roots
        chosen = self.precision.instrument(self.groups, Roots(tuple(roots), tuple(separating), data, inside, roots))
        roles = self._roles | {p.name: p.role for p in everything.predicates}
        own = [replace(p, role=roles.get(p.name)) for p in chosen.predicates]
        return Instrumentation((*relations, *own), chosen.rules)

    @property
    def _roles(self) -> dict[str, Role | None]:
        """The roles of predicates that shape classes may declare, also where the groups do without them."""
        roles: dict[str, Role | None] = {}
        for group in self.groups:
            roles |= group.reach_roles(self.roots)
            roles[group.shared] = Role(RoleKind.SHARED, group.name)
            roles[group.on_cycle] = Role(RoleKind.ON_CYCLE, group.name)
            for there in (group.name, *group.cells):
                for cell, _ in self.edges:
                    roles[cancelling(there, cell)] = Role(RoleKind.LEADS_BACK, there, back=cell)
        return roles

    @property
    def _everything(self) -> Instrumentation:
        predicates = [predicate for group in self.groups for predicate in group.instrumentation(self.roots)]
        for group in self.followed:
            closure = group.whole_closure if group.kind == CIRCULAR else group.closure
            for name, root, edge in self.entrances(group):
                reached = exists(["v1", "v2"], conj(at(root, "v1"), at(edge, "v1", "v2"), at(closure, "v2", "v")))
                kind = RoleKind.WHOLE_REACHED if group.kind == CIRCULAR else RoleKind.REACHED
                role = Role(kind, group.name, f"{root}->{edge}")
                predicates.append(Predicate(name, 1, ("v",), definition=reached, abstraction=True, role=role))
        predicates += [holding.predicate() for holdings in self.holdings for holding in holdings]
        predicates += self.cancellation.predicates() + [lane.predicate() for lane in self.lanes]
        predicates += self._targets_of_targets()
        predicates += self._tag_predicates({p.name for p in predicates})
        rules = [rule for group in self.groups for rule in group.rules()] + self.cancellation.rules()
        return Instrumentation(tuple(predicates), tuple(rules))

    def _tag_predicates(self, known: Set[str]) -> list[Predicate]:
        """The predicates of tags, without those that are known."""
        edges: dict[str, list[str]] = {}
        for cell, edge in self.edges:
            edges.setdefault(cell, []).append(edge)
        sizes = {size: name for size in self.memory.sizes if (name := self.size(size)) is not None}
        tagged = [TaggedCells(tag, self._numbers_at(tag.offset), sizes, edges) for tag in self.shape.tags]
        own = [predicate for cells in tagged for predicate in cells.predicates()]
        return list({p.name: p for p in own if p.name not in known}.values())

    def _numbers_at(self, offset: int) -> dict[int, str]:
        """The predicates of objects with a number at the offset, by the number."""
        numbers = {name: role for name, role in self._unary.items() if role.kind is RoleKind.INTEGER_CELL}
        return {role.value: name for name, role in numbers.items() if role.offset == offset}

    def _targets_of_targets(self) -> list[Predicate]:
        """Predicates for the targets of ``*p`` of a pointer to a pointer p, which is used like a variable."""
        dereferenced = []
        for variable in self.memory.pointers:
            if not isinstance(variable.type, PointerType) or not isinstance(variable.type.target, PointerType):
                continue
            pointer = self.pointer(variable)
            cells = {(o, cell) for s, o in pointer.places if (cell := self.memory.cell_of.get((s, o))) is not None}
            held = [
                exists(["u"], conj(pointer.at(offset, "u"), at(self.cell(cell, to), "u", "v")))
                for offset, cell in sorted(cells)
                if self.precision.tracks_cell(cell)
                for to in self.target_offsets(cell)
            ]
            if held:
                name = f"*{pointer.name}"
                unique, role = frozenset({"unique"}), Role(RoleKind.DEREFERENCED, pointer.name)
                dereferenced.append(Predicate(name, 1, ("v",), unique, disj(*held), abstraction=True, role=role))
        return dereferenced

    @cached_property
    def absent(self) -> frozenset[str]:
        """The instrumentation predicates that the precision leaves out or defines otherwise, and those of local groups.

        Facts about a predicate, such as its updates, hold for its definition, not for its name.
        """
        local = [group for group in self.groups if group.kind == LOCAL]
        untracked = {n for g in local for n in (g.closure, g.shared, *map(g.reached_at_least, self.roots))}
        if self.precision.instrument is None:
            return frozenset(untracked)
        ours = {p.name: p.definition for p in self._everything.predicates}
        definitions = ((p.name, p.definition) for p in self.instrumentation.predicates)
        chosen = {name for name, f in definitions if name not in ours or _same(f, ours[name])}
        return frozenset((ours.keys() | untracked) - chosen)

    def without_absent(self, updates: Iterable[Update]) -> list[Update]:
        """The updates without absent predicates; differencing derives the others."""
        return [u for u in updates if u.predicate not in self.absent and not predicates_of(u.formula) & self.absent]

    def _separates(self, pointer: Pointer) -> bool:
        return self.is_temporary(pointer) or self.precision.separates(pointer.name)

    def _predicates(self, pointer: Pointer) -> list[str]:
        return [] if self.is_temporary(pointer) else [pointer.predicate(o) for o in pointer.offsets]

    @cached_property
    def pointed(self) -> Formula:
        """A variable or a cell points into the object `v`."""
        variables = [at(p.predicate(o), "v") for p in self._pointers.values() for o in p.offsets]
        return disj(*variables, *(exists(["u"], at(name, "u", "v")) for _, name in self.edges))

    @cached_property
    def roots(self) -> Mapping[str, frozenset[str]]:
        """The predicates of variables with tracked reachability, each with the edges of its possible objects."""
        roots: dict[str, frozenset[str]] = {}
        for p in self._pointers.values():
            if not self.is_temporary(p):
                for o in p.offsets:
                    sizes = frozenset(size for size, offset in p.places if offset == o)
                    roots[p.predicate(o)] = self._edges_of(sizes)
        for variable in self.memory.objects:
            roots[self.object(variable)] = self._edges_of(frozenset((self.memory.size_of(variable),)))
        return roots

    def entrances(self, group: Group) -> list[tuple[str, str, str]]:
        """Header cells that lead from a variable's object into a group: reachability predicate, root, edge."""
        if set(group.cells) <= self.shape.headers:
            return []
        into = self._header_edges_into(group)
        if not into:
            return []
        return [
            (group.reach(f"{root}->{edge}"), root, edge)
            for root, edges in self.roots.items()
            for edge in into
            if edge in edges
        ]

    def _header_edges_into(self, group: Group) -> tuple[str, ...]:
        """The edges of header cells whose targets may have cells of a group."""
        known = self._header_edges.get(group.cells)
        if known is None:
            sources = {size for (size, _), cell in self.memory.cell_of.items() if cell in group.cells}
            headers, targets = self.shape.headers, self._sizes_of_targets
            known = tuple(edge for cell, edge in self.edges if cell in headers and targets[cell] & sources)
            self._header_edges[group.cells] = known
        return known

    def _edges_of(self, sizes: frozenset[int]) -> frozenset[str]:
        known = self._edges_by_sizes.get(sizes)
        if known is None:
            cells = {cell for (size, _), cell in self.memory.cell_of.items() if size in sizes}
            known = frozenset(name for cell, name in self.edges if cell in cells)
            self._edges_by_sizes[sizes] = known
        return known

    def rules(self) -> list[Rule]:
        """The rules of the instrumentation; and a pointer, and a cell, points to one place only."""
        rules = list(self.instrumentation.rules)
        for cell in dict.fromkeys(cell for cell, _ in self.edges):
            edges = [self.cell(cell, target) for target in self.target_offsets(cell)]
            for name in edges if len(edges) > 1 else ():
                elsewhere = exists(["v1"], disj(*(at(other, "v", "v1") for other in edges if other != name)))
                rules.append(Rule(elsewhere, Not(at(name, "v", "w")), f"{cell} is one cell"))
        for pointer in self._pointers.values():
            places = [pointer.predicate(o) for o in pointer.offsets]
            for name in places if len(places) > 1 else ():
                elsewhere = exists(["v"], disj(*(at(other, "v") for other in places if other != name)))
                rules.append(Rule(elsewhere, Not(at(name, "w")), f"{pointer.name} is one pointer"))
        for tag in self.shape.tags:
            pairs = permutations(sorted(self._numbers_at(tag.offset).values()), 2)
            rules += [Rule(at(one, "v"), Not(at(other, "v")), "an integer has one value") for one, other in pairs]
        return rules

    def reachable(self, v: str = "v") -> Formula:
        """The object is reachable from some variable along tracked cells."""
        key = v, self.all_pointers_tracked
        known = self._reachable.get(key)
        if known is None:
            known = self._reachable[key] = self._reachability(v)
        return known

    def _reachability(self, v: str) -> Formula:
        roots = self.roots

        def along_one(w: str) -> Formula:
            along = [
                _along(group, root, w) if (name := group.reached_at_least(root)) in self.absent else at(name, w)
                for group in self.groups
                for root in group.roots(roots)
            ]
            along += [at(name, w) for g in self.followed for name, _, _ in self.entrances(g) if name not in self.absent]
            return disj(*along, *(at(r, w) for r in roots))

        more = self._back_and_forth(v)
        if self.precision.instrument is None:
            return disj(reachable(along_one, self.holdings, v), *more)
        below, single = (
            [h for holding in holdings for h in self._without_absent(holding)] for holdings in self.holdings
        )
        more = [formula for formula in more if not self._needs_absent(formula)]
        untracked = FALSE if self.all_pointers_tracked else UNKNOWN
        return disj(reachable(along_one, (below, single), v), *more, untracked)

    def _without_absent(self, holding: Holding) -> list[Holding]:
        """The holding, if its formula has no absent predicate; without it, the analysis may report a leak."""
        if self._needs_absent(holding.holders("u", "w")):
            return []
        return [replace(holding, defined=holding.name in self.absent)]

    def _needs_absent(self, formula: Formula) -> bool:
        """Whether the formula contains predicates that the precision omits."""
        return bool(predicates_of(formula) & self.absent)

    def _back_and_forth(self, v: str) -> list[Formula]:
        """The object is reachable forwards from a node that back pointers reach, as during a reversal of a list.

        The first back pointer may be a cut edge, which the reachability predicates of variables omit.
        """
        turns: list[Formula] = []
        for group in self.groups:
            if set(group.cells) <= self.shape.back & self.shape.circular:
                roots = group.roots(self.roots)
                turns += [at(group.reached_at_least(root), "turn") for root in roots if group.kind != LOCAL]
                turns += [exists(["u"], conj(at(root, "u"), at(group.name, "u", "turn"))) for root in roots]
        ahead = [group for group in self.followed if not set(group.cells) & self.shape.back]
        return [exists(["turn"], conj(disj(*turns), at(group.closure, "turn", v))) for group in ahead if turns]


def _is_name_of_temporary(name: str) -> bool:
    return name.startswith(TEMPORARY) and name.removeprefix(TEMPORARY).isdigit()


def _root(predicate: Predicate) -> str:
    """The predicate of the pointer from which something is reached, if it is about that."""
    return predicate.role.root.partition("->")[0] if predicate.role is not None else ""


def _same(f: Formula | None, g: Formula | None) -> bool:
    return f is g or (f is not None and g is not None and up_to_order(f) == up_to_order(g))


def _along(group: Group, root: str, v: str) -> Formula:
    """The node is reachable from the target of a root; a closure formula replaces the missing closure predicate."""
    return exists(["u"], conj(at(root, "u"), reflexive_closure(group.name, "u", v)))
