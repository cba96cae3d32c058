"""Local heaps: the part of a structure that a callee can reach is cut out, and put back after the call.

A callee sees the nodes that its arguments and its global variables reach. Nodes of this part with pointers from the
rest are cutpoints; each gets a marker, so that the rest can be joined to it again afterwards. Back pointers from the
part to the rest are not followed: their targets are in the part as marked `opaque` nodes. A callee that reads or
writes a pointer of an opaque node cannot be analysed; the node's numbers are known as they are to the caller.
(Rinetzky, Bauer, Reps, Sagiv, Wilhelm. A semantics for procedure local heaps and its abstractions, POPL 2005; Rinetzky,
Sagiv, Yahav. Interprocedural shape analysis for cutpoint-free programs, SAS 2005.) Predicates with a definition are
evaluated anew where the cut may have changed them, and keep their values, which are sharper, where it cannot have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.domains.shape.editor import Editor, Rails, bit_of, either
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.steps.invocations import CallAction, CallVocabulary
from kleene.semantics.vocabulary.groups import Group, has_cell, not_null
from kleene.semantics.vocabulary.held_blocks import held_by
from kleene.semantics.vocabulary.names import FREED, HEAP, OPAQUE, OUTER
from kleene.structures.edit import Arities, Mapping, mapping_of, restride
from kleene.structures.layout import Layout
from kleene.structures.structure import Structure


@dataclass(frozen=True)
class Division:
    """A structure before a call: the callee's nodes, the rest, and who is marked.

    `cutpoints` are nodes of the callee to which the rest points, `borders` nodes of the rest to which the callee's
    nodes point back; each with its marker.
    """

    structure: Structure
    local: int
    cutpoints: dict[int, str] = field(default_factory=dict)
    borders: dict[int, str] = field(default_factory=dict)

    @property
    def rest(self) -> int:
        return ((1 << self.structure.size) - 1) & ~self.local

    @cached_property
    def kept(self) -> Mapping:
        """The nodes of the rest, alone."""
        kept = tuple((u,) for u in range(self.structure.size) if self.rest >> u & 1)
        return mapping_of(kept, self.structure.size)

    @cached_property
    def rest_values(self) -> list[int]:
        """The values on the rest alone: every structure that the callee ends with is joined to them."""
        arities = [p.arity for p in self.structure.vocabulary]
        values = self.kept.apply(self.structure.values, tuple(arities))
        return [value if arities[rail // 2] else 0 for rail, value in enumerate(values)]

    def rest_in(self, layout: Layout, arities: Arities) -> list[int]:
        """The same in another layout."""
        return restride(self.rest_values, arities, self.kept.new, layout)


@dataclass(frozen=True)
class Returning:
    """The variables after a call: `gone` has the places of what is told of those without a value.

    `roots` are the others, each with the root of the callee that it gets its value from, if it does not keep it.
    """

    gone: tuple[int, ...]
    roots: tuple[tuple[str, str | None], ...]


class LocalHeaps:
    """Cutting structures over the vocabulary of a program with procedures."""

    def __init__(self, vocabulary: Vocabulary, calls: CallVocabulary) -> None:
        self.vocabulary = vocabulary
        self.calls = calls
        self._roots_reach: dict[str, list[tuple[Group, str]]] = {}
        self._roots_cells: dict[str, list[str]] = {}
        self._group_closures: dict[str, list[tuple[str, str, str]]] = {}
        self._group_sharing: dict[str, list[str]] = {}
        self._group_crowding: dict[str, list[str]] = {}
        self._of_roots: dict[tuple[str, str], str | None] = {}
        self._of_callers: dict[CallAction, tuple[int, ...]] = {}
        self._after: dict[CallAction, Returning] = {}
        self.arities = tuple(p.arity for p in vocabulary)
        self.unary_rails, self.binary_rails = (
            [rail for rail in range(2 * len(vocabulary)) if self.arities[rail // 2] == arity] for arity in (1, 2)
        )
        self.nullary = [p.name for p in vocabulary if p.arity == 0 and p.definition is None]
        self.pointers = sorted(name for name in calls.pointers if name in vocabulary)
        self.roots = [r for r in calls.roots if r in vocabulary]
        self.cancelling = [p.name for p in vocabulary if p.is_a(RoleKind.LEADS_BACK)]
        self.binary = [p.name for p in vocabulary if p.arity == 2]
        self.numbers = [p.name for p in vocabulary if p.arity == 1 and p.is_a(RoleKind.INTEGER_CELL)]
        self.odd = [p.name for p in vocabulary if p.is_a(RoleKind.ODD)]
        """Predicates about the numbers and cells of a node itself."""
        known = {p.name for p in vocabulary if p.definition is None} | {*self.cancelling, *self.odd}
        for group in calls.groups:
            known |= {group.name, group.step, group.closure, group.whole_closure, group.shared, group.on_cycle}
            known |= {group.looping, *(has_cell(member) for member in group.members)}
        for root in self.roots:
            known |= {name for _, name in self.reaches(root)} | set(self.not_null(root))
        self.held = {edge: name for edge in calls.edges for name in self.present(held_by(edge))}
        steps = {name for group in calls.groups for name in (*group.members, group.name, group.step)}
        self.recorded = [n for n in self.binary if vocabulary[n].definition is None and n not in steps]
        """Relations that a body remembers (`semantics/steps/specified.py`); across a cut they are mostly unknown."""
        fields = {p.role.of: p.name for p in vocabulary if p.role is not None and p.is_a(RoleKind.SAME)}
        roles = [(vocabulary[name].role, name) for name in self.recorded]
        self.same = {fields[role.of]: name for role, name in roles if role is not None and role.of in fields}
        """Maps each predicate ``same[f]`` to the relation of the old values."""
        self.roles = {p.name: p.role for p in vocabulary if p.role is not None and p.role.root}
        """The predicates about a root; with the root '' those that name the nodes that a node reaches by a closure."""
        for group in calls.groups:
            self.roles |= group.reach_roles({"": set(group.members)})
        self._of_role = {role: name for name, role in self.roles.items()}
        self.others = [p.name for p in vocabulary if p.name not in known | {*self.held.values(), *self.same}]

    # Names of predicates ----------------------------------------------------------------------------------------

    def present(self, *names: str) -> list[str]:
        return [n for n in dict.fromkeys(names) if n in self.vocabulary]

    def sharing_predicates(self, group: Group) -> list[str]:
        known = self._group_sharing.get(group.name)
        if known is None:
            known = self._group_sharing[group.name] = self.present(group.shared)
        return known

    def crowding_predicates(self, group: Group) -> list[str]:
        known = self._group_crowding.get(group.name)
        if known is None:
            known = self._group_crowding[group.name] = self.present(group.crowded)
        return known

    @cached_property
    def steps(self) -> list[str]:
        """The relations between nodes that all other predicates are about."""
        return self.present(*(name for g in self.calls.groups for name in (*g.members, g.name, g.step)))

    def closures(self, group: Group) -> list[tuple[str, str, str]]:
        """The closures of a group: each with its relation, and with the reachability predicate of the root ''."""
        known = self._group_closures.get(group.name)
        if known is None:
            without_cuts = (group.closure, group.step, group.reach_before_cuts(""))
            entries = [without_cuts, (group.whole_closure, group.name, group.reach(""))]
            known = self._group_closures[group.name] = [entry for entry in entries if entry[0] in self.vocabulary]
        return known

    def of_root(self, name: str, root: str) -> str | None:
        """The predicate of another root that corresponds to the predicate `name` of a root."""
        if (name, root) not in self._of_roots:
            self._of_roots[name, root] = self.of_role(replace(self.roles[name], root=root))
        return self._of_roots[name, root]

    def of_role(self, role: Role) -> str | None:
        return self._of_role.get(role)

    def reaches(self, root: str) -> list[tuple[Group, str]]:
        """The reachability predicates of a root."""
        known = self._roots_reach.get(root)
        if known is None:
            named = [(g, n) for g in self.calls.groups for n in (g.reach_before_cuts(root), g.reach(root))]
            known = self._roots_reach[root] = [(g, n) for g, n in dict.fromkeys(named) if n in self.vocabulary]
        return known

    def not_null(self, root: str) -> list[str]:
        """The predicates of the cells of the root's target that are not null."""
        known = self._roots_cells.get(root)
        if known is None:
            cells = self.present(*(not_null(root, m) for g in self.calls.groups for m in g.members))
            known = self._roots_cells[root] = cells
        return known

    def told_of(self, root: str) -> list[str]:
        """The predicates about a root, but the root."""
        return [*(name for _, name in self.reaches(root)), *self.not_null(root)]

    def is_kept(self, name: str, call: CallAction) -> bool:
        """Whether the caller's variable has the same value after the call."""
        return name in call.kept or name in self.calls.markers

    def is_followed(self, group: Group) -> bool:
        """Whether the cells of a group lead along the structure."""
        return not set(group.cells) <= self.calls.back

    def _rails_of(self, names: Iterable[str]) -> tuple[int, ...]:
        places = self.vocabulary.rails
        return tuple(rail for name in names for rail in (places[name], places[name] + 1))

    def returning(self, call: CallAction) -> Returning:
        """The variables after a call."""
        known = self._after.get(call)
        if known is None:
            sources: dict[str, str] = {}
            for target, source in call.results:
                sources.setdefault(target, source)
            sources |= {root: root for root in self.roots if root in call.shared}
            roots = [(root, sources.get(root)) for root in self.roots]
            gone = [root for root, source in roots if source is None and not self.is_kept(root, call)]
            rails = self._rails_of(name for root in gone for name in self.told_of(root))
            known = self._after[call] = Returning(rails, tuple(each for each in roots if each[0] not in gone))
        return known

    @cached_property
    def _guides(self) -> list[tuple[Group, list[tuple[str, list[str], list[str]]]]]:
        """For each group, the roots with the predicates that say which nodes they reach: all, and without cuts."""
        return [
            (g, [(root, self.present(g.reach(root)), self.present(g.reach_before_cuts(root))) for root in self.roots])
            for g in self.calls.groups
        ]

    def from_node(self, editor: Editor, group: Group, name: str, old: str, node: int) -> Rails | None:
        """The nodes that a node reaches: by the predicate of a variable that points to it, else by the closure.

        `name` is the reachability predicate of the root `old`. None without such a predicate.
        """
        for root in self.roots:
            known = self.of_root(name, root)
            if known is not None and editor.get(root)[0] >> node & 1:
                return editor.get(known)
        for closure, _, reached in self.closures(group):
            if name == self.of_root(reached, old):
                return editor.row(closure, node)
        return None

    # Division ---------------------------------------------------------------------------------------------------

    def sharpen(self, structure: Structure) -> Structure:
        """The structure without the edges that reachability predicates exclude: itself, if there are none."""
        editor = Editor.of(structure)
        changes = False
        for group, guides in self._guides:
            impossible = self._impossible(editor, group, guides)
            for edge in group.members if impossible else ():
                must, may = editor.get(edge)
                possible = must | may & ~impossible
                if possible != may:
                    editor.set(edge, (must, possible))
                    changes = True
        return editor.structure() if changes else structure

    def _impossible(self, editor: Editor, group: Group, guides: list[tuple[str, list[str], list[str]]]) -> int:
        """The edges that reachability predicates exclude; they do not depend on the edges."""
        layout, every = editor.layout, editor.every
        single, excluded = every, 0
        for name in self.sharing_predicates(group) or ["sm"]:
            single = every & ~editor.get(name)[1] if name != "sm" else 0
        for root, reaching, before_cuts in guides:
            for name in reaching:  # successors of a reachable node are reachable
                reached, perhaps = editor.get(name)
                if reached and perhaps != every:
                    excluded |= layout.rows[reached] & ((every & ~perhaps) * layout.col)
            for name in before_cuts:  # so is its one predecessor, if it is not the first
                reached, perhaps = editor.get(name)
                reached &= single & ~editor.get(root)[1]
                if reached and perhaps != every:
                    excluded |= layout.rows[every & ~perhaps] & (reached * layout.col)
        return excluded

    def divide(self, structure: Structure, call: CallAction) -> Division | None:
        """The nodes that the callee may reach, and the nodes to mark; None if there are too many to mark."""
        editor = Editor.of(structure)
        start = 0
        for name in [argument for _, argument in call.given] + sorted(call.shared & self.calls.pointers):
            start |= editor.get(name)[1]
        followed = [g for g in self.calls.groups if self.is_followed(g)]
        while True:
            local = self._close(editor, start, followed)
            rest = editor.every & ~local
            held = self._held_nodes(editor, call, local)
            doubtful = [g for g in self.calls.groups if g not in followed and self._is_entwined(editor, g, local, held)]
            if not doubtful:
                break
            followed += doubtful
        cutpoints, borders = 0, 0
        for name in self.calls.edges:
            cutpoints |= editor.layout.image(rest, editor.get(name)[1])
            borders |= editor.layout.image(local, editor.get(name)[1])
        for name in self.pointers:
            if name in call.kept or name in self.calls.markers:
                cutpoints |= editor.get(name)[1]
        return self._mark(structure, local, cutpoints & local, borders & rest)

    def _close(self, editor: Editor, start: int, groups: list[Group]) -> int:
        local, before = start, -1
        while before != local:
            before = local
            for group in groups:
                for edge in group.members:
                    local |= editor.layout.image(local, editor.get(edge)[1])
        return local

    def _held_nodes(self, editor: Editor, call: CallAction, local: int) -> int:
        """The nodes that variables of the caller hold: they are not lost before the callee returns."""
        held = 0
        for root in self.roots:
            must, may = editor.get(root)
            if (root in call.kept or root in self.calls.markers) and not may & local:
                held |= must
                for _, name in self.reaches(root):
                    held |= editor.get(name)[0]
        return held & ~local

    def _is_entwined(self, editor: Editor, group: Group, local: int, held: int) -> bool:
        """Whether the callee's part must include the targets of edges of the group that lead out of it.

        This is so if they lead to summary nodes or to nodes without another holder, or if other edges of the group lead
        back into the part.
        """
        rest = editor.every & ~local
        out, back = 0, 0
        for edge in group.members:
            out |= editor.layout.image(local, editor.get(edge)[1]) & rest
            back |= editor.layout.image(rest, editor.get(edge)[1]) & local
        return bool(out and (back or out & editor.get("sm")[1] or out & ~held))

    def _mark(self, structure: Structure, local: int, cutpoints: int, borders: int) -> Division | None:
        editor = Editor.of(structure)
        nodes = [u for u in range(structure.size) if (cutpoints | borders) >> u & 1]
        if len(nodes) > len(self.calls.markers) or any(editor.summary(u) or not editor.exists(u) for u in nodes):
            return None
        markers = dict(zip(nodes, self.calls.markers, strict=False))
        return Division(
            structure,
            local,
            {u: m for u, m in markers.items() if cutpoints >> u & 1},
            {u: m for u, m in markers.items() if borders >> u & 1},
        )

    # Entry ------------------------------------------------------------------------------------------------------

    def entry(self, division: Division, call: CallAction) -> Structure:
        """The structure with which the callee begins."""
        source = Editor.of(division.structure)
        opaque = sum(1 << u for u in division.borders)
        kept = [u for u in range(source.size) if (division.local | opaque) >> u & 1]
        place = {u: k for k, u in enumerate(kept)}
        values = mapping_of(tuple((u,) for u in kept), source.size).apply(source.values, self.arities)
        editor = Editor(self.vocabulary, len(kept), values)
        old = Editor(self.vocabulary, len(kept), list(values))
        editor.clear(self.forgotten(call))
        for parameter, argument in (*call.given, *call.values):
            editor.set(parameter, old.get(argument))
        borders = sum(1 << place[u] for u in division.borders)
        self._close_borders(source, editor, division, call, place, borders)
        for parameter, argument in call.given:
            self._same_reach(editor, old, parameter, argument, borders)
        self._set_markers(editor, old, division, place, borders)
        if OUTER in self.vocabulary:
            editor.set(OUTER, self._outer(source, division.rest))
        self._unshare(source, editor, division, place)
        for name in self.others:
            editor.evaluate(name)
        for name, old_name in self.same.items():  # a block that pointed out of the part may look as it was
            out = source.layout.preimage(source.get(old_name)[1], division.rest)
            doubtful = sum(1 << k for u, k in place.items() if out >> u & 1) | borders
            must, may = editor.get(name)
            editor.set(name, (must & ~doubtful, may | doubtful))
        return editor.structure()

    def forgotten(self, call: CallAction) -> tuple[int, ...]:
        """The places of what the callee is not told of the caller's variables."""
        known = self._of_callers.get(call)
        if known is None:
            names = [name for name in (*self.pointers, *self.nullary) if name not in call.shared]
            names += [name for root in self.roots if root not in call.shared for name in self.told_of(root)]
            known = self._of_callers[call] = self._rails_of(names)
        return known

    def _close_borders(
        self,
        source: Editor,
        editor: Editor,
        division: Division,
        call: CallAction,
        place: dict[int, int],
        borders: int,
    ) -> None:
        """Opaque nodes have unknown cells: in the callee's structure they have no cells."""
        if not borders:
            return
        editor.set(OPAQUE, either(editor.get(OPAQUE), (borders, borders)))
        for name in self.binary:
            editor.clear_rows(name, borders)
        for group in self.calls.groups:
            for closure, _, _ in self.closures(group):
                for node in place.values():
                    if borders >> node & 1:
                        editor.put(closure, (1, 1), node, node)
            for name in self.present(group.cut):
                must, may = editor.get(name)
                editor.set(name, (must & ~borders, may & ~borders))
            self._blur_borders(source, editor, group, division, call, place)
            for name in self.present(group.on_cycle, group.looping, *(f"has[{m}]" for m in group.members)):
                editor.evaluate_at(name, borders)
        for name in self.odd:
            editor.evaluate_at(name, borders)
        pointing = borders
        for name in self.calls.edges:
            pointing |= editor.layout.preimage(editor.get(name)[1], borders)
        for name in self.cancelling:
            editor.evaluate_at(name, pointing)

    def _blur_borders(
        self,
        source: Editor,
        editor: Editor,
        group: Group,
        division: Division,
        call: CallAction,
        place: dict[int, int],
    ) -> None:
        """A path to an opaque node may have come through another, whose cells are gone."""
        for closure, node in ((c, u) for c, _, _ in self.closures(group) for u in division.borders):
            others = [u for u in division.borders if u != node and source.at(closure, u, node)[1]]
            if others:
                for start in place.values():
                    if start != place[node]:
                        value = editor.at(closure, start, place[node])
                        editor.put(closure, (0, value[1]), start, place[node])
                for root in self.roots:
                    for g, name in self.reaches(root):
                        if g == group and root in call.shared:
                            editor.put(name, (0, editor.at(name, place[node])[1]), place[node])

    def _same_reach(self, editor: Editor, old: Editor, parameter: str, argument: str, borders: int) -> None:
        for _, name in self.reaches(parameter):
            known = self.of_root(name, argument)
            if known is not None:
                must, may = old.get(known)
                several = borders.bit_count() > 1
                editor.set(name, (must & ~borders if several else must, may))
            else:
                editor.evaluate(name)
        for name in self.not_null(parameter):
            known = self.of_root(name, argument)
            if known is not None:
                editor.set(name, old.get(known))
            else:
                editor.evaluate(name)

    def _set_markers(
        self, editor: Editor, old: Editor, division: Division, place: dict[int, int], borders: int
    ) -> None:
        several = borders.bit_count() > 1
        for u, marker in (division.cutpoints | division.borders).items():
            node = place[u]
            editor.set(marker, (1 << node, 1 << node))
            for group, name in self.reaches(marker):
                if u in division.borders:
                    editor.set(name, (1 << node, 1 << node))
                else:
                    must, may = self.from_node(old, group, name, marker, node) or editor.by_definition(name)
                    editor.set(name, (must & ~borders if several else must, may))
            for name in self.not_null(marker):
                role = self.vocabulary[name].role
                assert role is not None
                has = has_cell(role.of)
                value = editor.by_definition(name)
                editor.set(name, editor.at(has, node) if value[0] != value[1] and has in self.vocabulary else value)

    def _outer(self, source: Editor, rest: int) -> Rails:
        heap, freed = source.get(HEAP), source.get(FREED)
        there = int(bool(heap[0] & ~freed[1] & rest & source.get("ac")[0])), int(bool(heap[1] & ~freed[0] & rest))
        return either(source.get(OUTER), there)

    def _unshare(self, source: Editor, editor: Editor, division: Division, place: dict[int, int]) -> None:
        """A node that loses its edges from the rest may be unshared in the callee's part."""
        for group in self.calls.groups:
            pointed = 0
            for member in group.members:
                pointed |= source.layout.image(division.rest, source.get(member)[1])
            nodes = sum(1 << k for u, k in place.items() if pointed >> u & 1)
            for name in self.sharing_predicates(group):
                editor.evaluate_at(name, nodes & editor.get(name)[1])
            for name in self.crowding_predicates(group):
                must, may = editor.get(name)
                editor.set(name, (must & ~nodes, may))
        for edge, name in self.held.items():
            pointed = source.layout.image(division.rest, source.get(edge)[1])
            editor.evaluate_at(name, sum(1 << k for u, k in place.items() if pointed >> u & 1))


def marked_node(editor: Editor, marker: str) -> int | None:
    """The node of a marker, if it is certain."""
    must, may = editor.get(marker)
    node = must.bit_length() - 1
    is_one = must == may and must.bit_count() == 1 and not editor.summary(node)
    return node if is_one and editor.exists(node) else None


__all__ = ["Division", "LocalHeaps", "bit_of", "marked_node"]
