"""After a call: the rest of the caller's structure and the last structure of the callee become one again.

The nodes of the rest come first, then those of the callee; the callee's opaque nodes are nodes of the rest. Edges from
the rest lead to marked nodes. The rest has not changed, but for numbers in opaque nodes. So an instrumentation
predicate keeps its value on one side unless it depends on paths or edges between the sides; these are few, as they lead
through marked nodes.
"""

from __future__ import annotations

from collections.abc import Container

from kleene.domains.shape.editor import NOTHING, Editor, Rails, any_of, bit_of, both, either, where
from kleene.domains.shape.local_heaps import Division, LocalHeaps, marked_node
from kleene.semantics.steps.invocations import CallAction
from kleene.semantics.vocabulary.groups import CIRCULAR, Group
from kleene.structures.edit import Mapping, mapping_of
from kleene.structures.layout import layout_for
from kleene.structures.program.build import MAY, MUST
from kleene.structures.structure import Structure


def join_after_call(heaps: LocalHeaps, division: Division, call: CallAction, end: Structure) -> Structure | None:
    """The caller's structure after the call; None if the two cannot be joined."""
    join = _Join(heaps, division, call, end)
    return join.run() if join.found_markers() else None


class _Join:
    def __init__(self, heaps: LocalHeaps, division: Division, call: CallAction, end: Structure) -> None:
        self.heaps = heaps
        self.vocabulary = heaps.vocabulary
        self.division = division
        self.call = call
        self.before = Editor.of(division.structure)
        self.end = Editor.of(end)
        self.rest = {u: k for k, u in enumerate(u for u in range(self.before.size) if division.rest >> u & 1)}
        self.images: dict[int, int] = {}
        """The callee's nodes for cutpoints and borders, both by their numbers before the call."""
        self.inward: set[Group] = set()
        """Groups with edges from the rest to the callee's part: then no edge leads out of it."""
        self.place: list[int] = []
        """Maps the callee's nodes to nodes of the result."""
        self.moved: Mapping | None = None
        """The same as a renumbering, if there are opaque nodes."""
        self.moved_own: Mapping | None = None
        """The same without opaque nodes."""
        self.result = self.end

    def found_markers(self) -> bool:
        for node, marker in (self.division.cutpoints | self.division.borders).items():
            image = marked_node(self.end, marker)
            if image is None:
                return False
            self.images[node] = image
        self.inward = {g for g in self._groups if self._leads_in(g)}
        return len(set(self.images.values())) == len(self.images) and not any(map(self._leads_out, self.inward))

    @property
    def _groups(self) -> tuple[Group, ...]:
        return self.heaps.calls.groups

    def _leads_in(self, group: Group) -> bool:
        """Whether edges of the group may lead from the rest to the callee's part; they are as before the call."""
        rest, local = self.division.rest, self.division.local
        return any(self.before.layout.image(rest, self.before.get(edge)[1]) & local for edge in group.members)

    def _leads_out(self, group: Group) -> bool:
        """Whether edges of the group may lead from the callee's part to the rest now."""
        borders = sum(1 << self.images[u] for u in self.division.borders)
        return any(self.end.layout.preimage(self.end.get(edge)[1], borders) & ~borders for edge in group.members)

    def run(self) -> Structure:
        self.result = self._side_by_side()
        for name in self.heaps.numbers:  # the callee may have written to opaque nodes, too
            for u in self.division.borders:
                self.result.put(name, self.end.at(name, self.images[u]), self.rest[u])
        self._variables()
        for name in self.heaps.steps if self.division.cutpoints else ():
            for u, k in self.rest.items():
                for node in self.division.cutpoints:
                    self.result.put(name, self.before.at(name, u, node), k, self.place[self.images[node]])
        for name in self.heaps.recorded:
            self._remember(name)
        for group in self._groups:
            self._closure(group)
            self._sharing(group)
            self._crowding(group)
        for name in self.heaps.held.values():
            marked = [*(self.place[self.images[u]] for u in self.division.cutpoints), *self._borders()]
            must = self.result.get(name)[0]
            self.result.evaluate_at(name, sum(1 << k for k in set(marked)) & ~must)
        returning = self.heaps.returning(self.call)
        self.result.clear(returning.gone)
        for root, source in returning.roots:
            self._root(root, source)
        self._cancellation()
        for name in self.heaps.odd:  # of nodes whose cells the callee did not know
            self.result.evaluate_at(name, sum(1 << k for k in self._borders()))
        for name in self.heaps.others:
            self.result.evaluate(name)
        self._same()
        return self.result.structure()

    def _remember(self, name: str) -> None:
        """A relation of an earlier moment across the cut: known where the blocks of the callee are marked ones."""
        before, rest, local = self.before, self.division.rest, self.division.local
        marked = sum(1 << u for u in self.division.cutpoints)
        relation = before.get(name)[1]
        inward = before.layout.image(rest, relation) & local & ~marked
        outward = before.layout.preimage(relation, rest) & local & ~marked
        layout, result = self.result.layout, self.result
        there = (1 << len(self.rest)) - 1
        others = result.every & ~there
        cut = sum(1 << self.place[self.images[u]] for u in self.division.cutpoints)
        into, out = layout.rows[there] & (others * layout.col), layout.rows[others] & (there * layout.col)
        must, may = result.get(name)
        may &= ~(into | out)
        if inward:
            may |= into & ~(cut * layout.col)
        if outward:
            may |= out & ~layout.rows[cut]
        result.set(name, (must & ~(into | out), may))
        for node in self.division.cutpoints:
            image = self.place[self.images[node]]
            for u, k in self.rest.items():
                result.put(name, before.at(name, u, node), k, image)
                result.put(name, before.at(name, node, u), image, k)

    def _same(self) -> None:
        """A member of the rest is as it was if it was so before; one of the callee's part if nothing pointed out."""
        for name, relation in self.heaps.same.items():
            value = self._of_rest(self.before.get(name))
            outward = (
                self.before.layout.preimage(self.before.get(relation)[1], self.division.rest) & self.division.local
            )
            kept = (0, 0) if outward or self.division.borders else self._move(self.end.get(name))
            there = sum(1 << k for k in self.rest.values())
            every = self.result.every
            must, may = value[0] & there | kept[0] & ~there, value[1] & there | kept[1] & ~there
            if outward or self.division.borders:
                may |= every & ~there
            self.result.set(name, (must, may))

    # Nodes ------------------------------------------------------------------------------------------------------

    def _side_by_side(self) -> Editor:
        """Both sides with their own values; edges of the callee to opaque nodes lead to those of the rest."""
        merged = {self.images[u]: self.rest[u] for u in self.division.borders}
        number = len(self.rest)
        for node in range(self.end.size):
            self.place.append(merged.get(node, number))
            number += node not in merged
        size, layout, old = number, layout_for(number), self.end.layout
        values = self.division.rest_in(layout, self.heaps.arities)
        count, ends = len(self.rest), self.end.values
        if merged:
            self.moved = self._renumbering(size)
            self.moved_own = self._renumbering(size, but=merged)
            opaque = old.rows[sum(1 << node for node in merged)]
            for rail in self.heaps.unary_rails:
                if ends[rail]:
                    values[rail] |= self.moved_own.rail(ends[rail], 1, MUST)
            for rail in self.heaps.binary_rails:
                if ends[rail]:
                    values[rail] |= self.moved.rail(ends[rail] & ~opaque, 2, MAY)
            return Editor(self.vocabulary, size, values)
        for rail in self.heaps.unary_rails:
            if ends[rail]:
                values[rail] |= ends[rail] << count
        shift, is_wider = layout.bit((count, count)), old.width != layout.width
        for rail in self.heaps.binary_rails:
            if ends[rail]:
                values[rail] |= (old.restride(ends[rail], 2, layout) if is_wider else ends[rail]) << shift
        return Editor(self.vocabulary, size, values)

    def _renumbering(self, size: int, but: Container[int] = ()) -> Mapping:
        """The callee's nodes at their places in the result; nodes without a place are left out."""
        groups: list[tuple[int, ...]] = [()] * size
        for node, k in enumerate(self.place):
            if node not in but:
                groups[k] = (node,)
        return mapping_of(tuple(groups), self.end.size)

    def _move(self, value: Rails, *, own: bool = False) -> Rails:
        """A unary value of the callee on the nodes of the result; only that of its `own` nodes, not of opaque ones."""
        moved = self.moved_own if own else self.moved
        if moved is None:  # all of the callee's nodes are behind the rest
            return value[0] << len(self.rest), value[1] << len(self.rest)
        return moved.rail(value[0], 1, MUST), moved.rail(value[1], 1, MAY)

    def _of_rest(self, value: Rails) -> Rails:
        """A unary value before the call on the rest."""
        if value == NOTHING:
            return NOTHING
        kept = self.division.kept
        return kept.rail(value[0], 1, MUST), kept.rail(value[1], 1, MAY)

    # Variables --------------------------------------------------------------------------------------------------

    def _variables(self) -> None:
        result = self.result
        for name in self.heaps.pointers:
            if name in self.call.shared:
                result.set(name, self._move(self.end.get(name)))
            else:
                result.set(
                    name, self._targets(self.before.get(name)) if self.heaps.is_kept(name, self.call) else NOTHING
                )
        for name in self.heaps.nullary:
            result.set(name, self.end.get(name) if name in self.call.shared else self.before.get(name))
        for target, source in self.call.results:
            result.set(target, self._move(self.end.get(source)))
        for target, source in self.call.result_values:
            result.set(target, self.end.get(source))

    def _targets(self, old: Rails) -> Rails:
        """The targets of a pointer of the caller: in the rest, or cutpoints."""
        if old == NOTHING:
            return NOTHING
        pointed = self._of_rest(old)
        for node in self.division.cutpoints:
            value, k = bit_of(old, node), self.place[self.images[node]]
            pointed = either(pointed, (value[0] << k, value[1] << k))
        return pointed

    # Paths ------------------------------------------------------------------------------------------------------

    def _independent(self, group: Group) -> bool:
        """Whether no cutpoint reached another before the call: then paths to one came through the rest only."""
        cutpoints = self.division.cutpoints
        if len(cutpoints) < 2:
            return True
        closures = self.heaps.closures(group)
        if not closures:
            return False
        whole = closures[-1][0]
        return not any(self.before.at(whole, a, b)[1] for a in cutpoints for b in cutpoints if a != b)

    def _beyond(self, group: Group, name: str, root: str, node: int) -> Rails:
        """The nodes of the result that a cutpoint reaches now; `name` is the reachability predicate of the root."""
        image = self.images[node]
        known = self.heaps.of_root(name, self.division.cutpoints[node])
        if known is not None:
            reached = self.end.get(known)
        else:
            reached = self.heaps.from_node(self.end, group, name, root, image) or (1 << image, self.end.every)
        return self._from_callee(group, name, root, reached)

    def _from_callee(self, group: Group, name: str, root: str, reached: Rails, pointed: Rails = NOTHING) -> Rails:
        """The nodes reached through the callee's nodes `reached`: these, and the nodes behind opaque nodes.

        `pointed` are those that a variable points to itself. `name` is the reachability predicate of the root.
        """
        borders = {self.images[u]: u for u in self.division.borders}
        result = self._move(reached, own=True)
        for image, border in borders.items():
            path = bit_of(pointed if group in self.inward else reached, image)
            if path[1]:
                result = either(result, where(path, self._from_rest(group, name, root, border)))
        return result

    def _from_rest(self, group: Group, name: str, root: str, border: int) -> Rails:
        """The nodes of the result that a node of the rest reaches."""
        value = self.heaps.from_node(self.before, group, name, root, border) or (1 << border, self.before.every)
        return either(self._of_rest(value), self._into_callee(group, name, root, value))

    def _into_callee(self, group: Group, name: str, root: str, before: Rails, direct: Rails = NOTHING) -> Rails:
        """The callee's nodes reached by paths through the nodes `before`, which were reached before the call."""
        into_callee = NOTHING
        if group not in self.inward:
            return self._direct(group, name, root, direct)
        independent = self._independent(group)
        whole = group.kind == CIRCULAR and name == group.reach(root)
        step = self.before.get(group.name if whole else group.step)
        for node in self.division.cutpoints:
            if independent:
                path = bit_of(before, node)
            else:
                last = (
                    self.before.perhaps(u, both(bit_of(before, u), bit_of(step, self.before.layout.bit((u, node)))))
                    for u in self.rest
                )
                path = either(any_of(last), bit_of(direct, node))
            if path[1]:
                into_callee = either(into_callee, where(path, self._beyond(group, name, root, node)))
        return into_callee

    def _direct(self, group: Group, name: str, root: str, direct: Rails) -> Rails:
        """The nodes reached from cutpoints that a variable points to itself."""
        if direct == NOTHING:
            return NOTHING
        paths = [(node, bit_of(direct, node)) for node in self.division.cutpoints]
        return any_of(where(path, self._beyond(group, name, root, node)) for node, path in paths if path[1])

    def _closure(self, group: Group) -> None:
        for closure, _, name in self.heaps.closures(group):
            self._close(group, closure, name)

    def _close(self, group: Group, closure: str, name: str) -> None:
        layout = self.result.layout
        must, may = self.result.get(closure)
        for u, k in self.rest.items() if group in self.inward else ():
            row = self._into_callee(group, name, "", self.before.row(closure, u))
            must |= row[0] << (k * layout.width)
            may |= row[1] << (k * layout.width)
        for node, k in enumerate(self.place):
            if k >= len(self.rest):
                for border in self.division.borders:
                    path = self.end.at(closure, node, self.images[border])
                    if group in self.inward or not path[1]:
                        continue
                    row = where(path, self._from_rest(group, name, "", border))
                    must |= row[0] << (k * layout.width)
                    may |= row[1] << (k * layout.width)
        self.result.set(closure, (must, may))

    def _sharing(self, group: Group) -> None:
        """Cutpoints and borders have edges from both sides."""
        for name in self.heaps.sharing_predicates(group):
            for node in self.division.cutpoints:
                image = self.images[node]
                k = self.place[image]
                if self.end.at(name, image)[0]:
                    continue
                if self.before.at(name, node)[1] or self.end.at(name, image)[1]:
                    self.result.evaluate_at(name, 1 << k)
                else:  # at most one edge from each side
                    outside = self.before.has_edge(group.name, self.division.rest, node)
                    inside = self.end.has_edge(group.name, self.end.every, image)
                    self.result.put(name, both(outside, inside), k)
            self.result.evaluate_at(name, sum(1 << self.rest[u] for u in self.division.borders))

    def _borders(self) -> list[int]:
        return [self.rest[u] for u in self.division.borders]

    def _crowding(self, group: Group) -> None:
        """Whether three edges lead to a cutpoint or border, from both sides together."""
        for name in self.heaps.crowding_predicates(group):
            for node in self.division.cutpoints:
                image = self.images[node]
                outside = self.before.has_edge(group.name, self.division.rest, node)
                inside = self.end.has_edge(group.name, self.end.every, image)
                own = self.end.at(name, image)
                if not outside[1]:
                    value = own
                elif not inside[1]:
                    value = (0, self.before.at(name, node)[1])
                else:
                    several = any(
                        e.at(shared, n)[1]
                        for shared in self.heaps.sharing_predicates(group) or ["heap"]
                        for e, n in ((self.before, node), (self.end, image))
                    )
                    value = (own[0], int(several))
                self.result.put(name, value, self.place[image])
            for k in self._borders():
                self.result.put(name, (0, 1), k)

    # Reachability from variables --------------------------------------------------------------------------------

    def _root(self, root: str, source: str | None) -> None:
        pointed = self.end.get(source) if source is not None else self.before.get(root)
        kept = pointed != NOTHING
        for group, name in self.heaps.reaches(root):
            known = name if source is None else self.heaps.of_root(name, source)
            if not kept:
                self.result.set(name, NOTHING)
            elif source is None:
                self.result.set(name, self._reachability(group, name, root))
            elif known is not None:
                value = self._from_callee(group, name, root, self.end.get(known), self.end.get(source))
                self.result.set(name, value)
            else:
                self.result.evaluate(name)
        for name in self.heaps.not_null(root):
            self._not_null(name, root, source, kept)

    def _reachability(self, group: Group, name: str, root: str) -> Rails:
        before, pointed = self.before.get(name), self.before.get(root)
        inside = self._into_callee(group, name, root, before, pointed)
        outside = self._of_rest(before)
        if pointed[1] & self.division.local:  # then it reaches the rest through the callee's part, if at all
            outside = (0, outside[1] if pointed[1] & self.division.rest else 0)
        return either(outside, inside)

    def _not_null(self, name: str, root: str, source: str | None, kept: bool) -> None:
        borders = sum(1 << self.images[u] for u in self.division.borders)
        if not kept:
            self.result.set(name, NOTHING)
        elif source is not None:
            known = self.heaps.of_root(name, source)
            if known is not None and not self.end.get(source)[1] & borders:
                self.result.set(name, self.end.get(known))
            else:
                self.result.evaluate(name)
        else:
            must, may = self.before.get(root)
            marked = [m for u, m in self.division.cutpoints.items() if must == may == 1 << u]
            if not may & self.division.local:
                self.result.set(name, self.before.get(name))
            elif marked and (known := self.heaps.of_root(name, marked[0])) is not None:
                self.result.set(name, self.end.get(known))
            else:
                self.result.evaluate(name)

    def _cancellation(self) -> None:
        """Recompute cancellation at the nodes with edges between the sides."""
        border = sum(1 << self.rest[u] for u in self.division.borders)
        cut = sum(1 << self.place[self.images[u]] for u in self.division.cutpoints)
        rest, layout = (1 << len(self.rest)) - 1, self.result.layout
        asked = border
        for name in self.heaps.calls.edges:
            may = self.result.get(name)[1]
            asked |= layout.preimage(may, cut) & rest
            asked |= layout.preimage(may, border) & ~rest
        for name in self.heaps.cancelling:
            self.result.evaluate_at(name, asked & self.result.every)
