"""Local heaps: the part of a structure that a callee can reach is cut out, and put back after the call.

A callee sees only what it can reach from its arguments and from global variables. If the rest points into that part
only where an argument does, the arguments say at the end of the callee what the rest points to: there are no cutpoints
(Rinetzky, Bauer, Reps, Sagiv, Wilhelm. A semantics for procedure local heaps and its abstractions, POPL 2005; Rinetzky,
Sagiv, Yahav. Interprocedural shape analysis for cutpoint-free programs, SAS 2005). Predicates with a definition are
evaluated anew where the cut may have changed them, and keep their values, which are sharper, where it cannot have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kleene.logic.vocabulary import BUILTIN, Vocabulary
from kleene.semantics.calls import CallAction, CallVocabulary
from kleene.semantics.groups import CIRCULAR, Group
from kleene.semantics.names import FREED, HEAP, OUTER
from kleene.structures.edit import mapping_of
from kleene.structures.evaluate import rails
from kleene.structures.layout import layout_for
from kleene.structures.structure import Structure

Rails = tuple[int, int]
"""Both rails of a predicate: must, may."""
NOTHING = (0, 0)


def _or(a: Rails, b: Rails) -> Rails:
    return a[0] | b[0], a[1] | b[1]


def _at(value: Rails, bit: int) -> Rails:
    return value[0] >> bit & 1, value[1] >> bit & 1


def renamed_root(name: str, old: str, new: str) -> str:
    """The predicate that says of another root what `name` says of one."""
    if name.startswith("nn["):
        return name.replace(f"nn[{old}->", f"nn[{new}->", 1)
    return name.removesuffix(f",{old}]") + f",{new}]"


class Editor:
    """A structure in the making over one vocabulary, by predicate name."""

    def __init__(self, vocabulary: Vocabulary, size: int, values: list[int]) -> None:
        self.vocabulary = vocabulary
        self.size = size
        self.values = values
        self.layout = layout_for(size)

    @staticmethod
    def of(structure: Structure) -> Editor:
        return Editor(structure.vocabulary, structure.size, list(structure.values))

    def get(self, name: str) -> Rails:
        index = 2 * self.vocabulary.index(name)
        return self.values[index], self.values[index + 1]

    def set(self, name: str, value: Rails) -> None:
        index = 2 * self.vocabulary.index(name)
        self.values[index], self.values[index + 1] = value

    def structure(self) -> Structure:
        return Structure(self.vocabulary, self.size, tuple(self.values))

    def evaluated(self, name: str) -> Rails:
        predicate = self.vocabulary[name]
        assert predicate.definition is not None
        return rails(self.structure(), predicate.definition, predicate.args)

    def reevaluate(self, name: str, where: int) -> None:
        """Evaluate a unary predicate by its definition on the nodes of a bit set."""
        if where:
            (new_must, new_may), (must, may) = self.evaluated(name), self.get(name)
            self.set(name, (must & ~where | new_must & where, may & ~where | new_may & where))


@dataclass(frozen=True)
class Division:
    """A structure before a call: the nodes of the callee, and those of them that the rest points to.

    `anchors` are these with the parameter that points to each; None if one of them is no argument.
    """

    structure: Structure
    local: int
    anchors: dict[int, str] | None

    @cached_property
    def rest(self) -> int:
        return ((1 << self.structure.size) - 1) & ~self.local


class LocalHeaps:
    """Cutting and joining structures over the vocabulary of a program with procedures."""

    def __init__(self, vocabulary: Vocabulary, calls: CallVocabulary) -> None:
        self.vocabulary = vocabulary
        self.calls = calls
        self.arities = tuple(p.arity for p in vocabulary)
        self.nullary = [p.name for p in vocabulary if p.arity == 0 and p.definition is None]
        self.roots = [r for r in calls.roots if r in vocabulary]
        known = {p.name for p in vocabulary if p.definition is None}
        for group in calls.groups:
            known |= set(self._group_predicates(group))
        known |= {p.name for p in vocabulary if self._is_cancellation(p.name)}
        self.others = [p.name for p in vocabulary if p.name not in known]

    def _group_predicates(self, group: Group) -> list[str]:
        name = group.name
        found = [name, group.step, group.closure, f"is[{name}]", f"c[{name}]"]
        found += [f"r[{name},{root}]" for root in self.roots]
        found += [group.reach(root) for root in self.roots]
        found += [f"has[{m}]" for m in group.members]
        found += [f"nn[{root}->{m}]" for root in self.roots for m in group.members]
        return found

    def _is_cancellation(self, name: str) -> bool:
        return name.startswith("c[") and "," in name

    def _present(self, *names: str) -> list[str]:
        return [n for n in dict.fromkeys(names) if n in self.vocabulary]

    def _reaches(self, root: str) -> list[tuple[Group, str]]:
        """The predicates of what a root reaches."""
        return [
            (g, name)
            for g in self.calls.groups
            for name in self._present(f"r[{g.name},{root}]", g.reach(root))
        ]

    def _not_null(self, root: str) -> list[tuple[str, str]]:
        """(member, predicate) of the cells of the root's target that are not null."""
        members = [m for g in self.calls.groups for m in g.members]
        return [(m, f"nn[{root}->{m}]") for m in members if f"nn[{root}->{m}]" in self.vocabulary]

    # Before the call --------------------------------------------------------------------------------------------

    def divide(self, structure: Structure, call: CallAction) -> Division:
        """Which nodes the callee can reach, at most, and where the rest points to them."""
        editor = Editor.of(structure)
        edges = {name: self._possible(editor, name) for name in self.calls.edges}
        local = 0
        for name in [argument for _, argument in call.given] + sorted(self.calls.globals & self.calls.pointers):
            local |= editor.get(name)[1]
        before = -1
        while before != local:
            before = local
            for may in edges.values():
                local |= editor.layout.image(local, may)
        rest = ((1 << structure.size) - 1) & ~local
        needed = 0
        for may in edges.values():
            needed |= editor.layout.image(rest, may)
        for name in call.kept & self.calls.pointers:
            needed |= editor.get(name)[1]
        return Division(structure, local, self._anchors(editor, needed & local, call))

    def _possible(self, editor: Editor, edge: str) -> int:
        """The edges that may be there; a few that reachability excludes are left out."""
        must, may = editor.get(edge)
        layout, every = editor.layout, (1 << editor.size) - 1
        for group in self.calls.groups:
            if edge not in group.members:
                continue
            shared = f"is[{group.name}]"
            single = every & ~editor.get(shared)[1] if shared in self.vocabulary else 0
            for root in self.roots:
                here = editor.get(root)[1]
                for name in self._present(group.reach(root)):  # what follows a reachable node is reachable
                    reached, perhaps = editor.get(name)
                    may &= ~(layout.rows[reached] & ((every & ~perhaps) * layout.col))
                for name in self._present(f"r[{group.name},{root}]"):  # its one predecessor is, unless it is the first
                    reached, perhaps = editor.get(name)
                    may &= ~(layout.rows[every & ~perhaps] & ((reached & single & ~here) * layout.col))
        return may | must

    def _anchors(self, editor: Editor, needed: int, call: CallAction) -> dict[int, str] | None:
        anchors: dict[int, str] = {}
        summaries = editor.get("sm")[1]
        for node in range(editor.size):
            if needed >> node & 1:
                names = [p for p, argument in call.given if editor.get(argument)[0] >> node & 1]
                if not names or summaries >> node & 1:
                    return None
                anchors[node] = names[0]
        return anchors

    def entry(self, division: Division, call: CallAction) -> Structure:
        """The structure with which the callee begins."""
        source = Editor.of(division.structure)
        kept = tuple((u,) for u in division.structure.nodes if division.local >> u & 1)
        values = mapping_of(kept, source.size).apply(source.values, self.arities)
        editor = Editor(self.vocabulary, len(kept), values)
        old = Editor(self.vocabulary, len(kept), list(values))
        for name in (*self.calls.pointers, *self.nullary):
            if name not in self.calls.globals and name in self.vocabulary:
                editor.set(name, NOTHING)
        for root in self.roots:
            if root not in self.calls.globals:
                for name in (*(n for _, n in self._reaches(root)), *(n for _, n in self._not_null(root))):
                    editor.set(name, NOTHING)
        for parameter, argument in (*call.given, *call.values):
            editor.set(parameter, _or(editor.get(parameter), old.get(argument)))
        for parameter, argument in call.given:
            for _, new in (*self._reaches(parameter), *self._not_null(parameter)):
                known = renamed_root(new, parameter, argument)
                editor.set(new, old.get(known) if known in self.vocabulary else editor.evaluated(new))
        if OUTER in self.vocabulary:
            editor.set(OUTER, self._outer(source, division.rest))
        self._unshare(source, editor, division, [u for (u,) in kept])
        for name in self.others:
            editor.set(name, editor.evaluated(name))
        return editor.structure()

    def _outer(self, source: Editor, rest: int) -> Rails:
        heap, freed = source.get(HEAP), source.get(FREED)
        there = int(bool(heap[0] & ~freed[1] & rest)), int(bool(heap[1] & ~freed[0] & rest))
        return _or(source.get(OUTER), there)

    def _unshare(self, source: Editor, editor: Editor, division: Division, kept: list[int]) -> None:
        """Where edges from the rest are gone, a node may not be shared any more."""
        for group in self.calls.groups:
            name = f"is[{group.name}]"
            if name not in self.vocabulary:
                continue
            pointed = 0
            for member in group.members:
                pointed |= source.layout.image(division.rest, source.get(member)[1])
            where = sum(1 << k for k, u in enumerate(kept) if pointed >> u & 1)
            perhaps = editor.get(name)[1]
            editor.reevaluate(name, where & perhaps)

    # After the call ---------------------------------------------------------------------------------------------

    def joined(self, division: Division, call: CallAction, end: Structure) -> Structure | None:
        """The caller's structure after the call; None if the callee's end does not say what the rest points to."""
        return _Join(self, division, call, end).joined()


class _Join:
    """The rest of the caller's structure (first) and the callee's last structure (behind it) as one."""

    def __init__(self, heaps: LocalHeaps, division: Division, call: CallAction, end: Structure) -> None:
        self.heaps = heaps
        self.call = call
        self.before = Editor.of(division.structure)
        self.end = Editor.of(end)
        self.rest = [u for u in division.structure.nodes if division.rest >> u & 1]
        self.place = {u: k for k, u in enumerate(self.rest)}
        self.shift = len(self.rest)
        self.anchors = division.anchors or {}
        self.images: dict[int, int] = {}
        self.result = self._side_by_side()
        self.vocabulary = heaps.vocabulary

    def _side_by_side(self) -> Editor:
        size = self.shift + self.end.size
        layout = layout_for(size)
        first = mapping_of(tuple((u,) for u in self.rest), self.before.size).apply(
            self.before.values, self.heaps.arities
        )
        values = []
        small, other = layout_for(self.shift), self.end.layout
        for p, arity in enumerate(self.heaps.arities):
            offset = layout.bit((self.shift,) * arity) if arity else 0
            for rail in (2 * p, 2 * p + 1):
                own = small.restride(first[rail], arity, layout)
                values.append(own | other.restride(self.end.values[rail], arity, layout) << offset)
        return Editor(self.heaps.vocabulary, size, values)

    def joined(self) -> Structure | None:
        for node, parameter in self.anchors.items():
            must, may = self.end.get(parameter)
            image = must.bit_length() - 1
            if must != may or must.bit_count() != 1 or self.end.get("sm")[1] >> image & 1:
                return None
            self.images[node] = image
        if len(set(self.images.values())) < len(self.images):
            return None
        self._variables()
        for name in self.heaps.calls.edges:
            self._cross(name)
        for group in self.heaps.calls.groups:
            for name in self.heaps._present(group.name, group.step):
                if name not in group.members:
                    self._cross(name)
        for group in self.heaps.calls.groups:
            self._closure(group)
            self._sharing(group)
        for root in self.heaps.roots:
            self._from_root(root)
        self._cancellation()
        for name in self.heaps.others:
            self.result.set(name, self.result.evaluated(name))
        return self.result.structure()

    # Variables ------------------------------------------------------------------------------------------------

    def _variables(self) -> None:
        calls, result = self.heaps.calls, self.result
        for name in calls.pointers - calls.globals:
            if name in self.vocabulary:
                result.set(name, self._pointed(name) if name in self.call.kept else NOTHING)
        for name in self.heaps.nullary:
            result.set(name, self.end.get(name) if name in calls.globals else self.before.get(name))
        for target, source in self.call.results:
            value = self.end.get(source)
            result.set(target, (value[0] << self.shift, value[1] << self.shift))
        given = {target for target, _ in self.call.results}
        for target, source in self.call.result_values:
            result.set(target, self.end.get(source))
        self.targets = given

    def _pointed(self, name: str) -> Rails:
        """Where a pointer of the caller points now: to the rest, or to what an argument pointed to."""
        old = self.before.get(name)
        new = NOTHING
        for node, place in self.place.items():
            value = _at(old, node)
            new = _or(new, (value[0] << place, value[1] << place))
        for node, image in self.images.items():
            value = _at(old, node)
            bit = image + self.shift
            new = _or(new, (value[0] << bit, value[1] << bit))
        return new

    # Edges ----------------------------------------------------------------------------------------------------

    def _cross(self, name: str) -> None:
        """The edges from the rest to arguments."""
        must, may = self.result.get(name)
        value = self.before.get(name)
        for u, place in self.place.items():
            for node, image in self.images.items():
                found = _at(value, self.before.layout.bit((u, node)))
                bit = self.result.layout.bit((place, image + self.shift))
                must, may = must | found[0] << bit, may | found[1] << bit
        self.result.set(name, (must, may))

    def _independent(self, group: Group) -> bool:
        """Whether no anchor reaches another along the group: then paths to one come from the rest."""
        if group.closure not in self.vocabulary:
            return False
        may = self.before.get(group.closure)[1]
        bit = self.before.layout.bit
        return not any(may >> bit((a, b)) & 1 for a in self.images for b in self.images if a != b)

    def _from_anchor(self, group: Group, node: int, whole: bool) -> Rails:
        """What an anchor reaches at the end of the callee."""
        parameter = self.anchors[node]
        name = group.reach(parameter) if whole else f"r[{group.name},{parameter}]"
        if name in self.vocabulary:
            return self.end.get(name)
        must, may = self.end.get(group.closure)
        row, width = self.end.layout.row, self.end.layout.width
        image = self.images[node]
        return must >> (image * width) & row, may >> (image * width) & row

    def _last_steps(self, group: Group, node: int, begin: dict[int, Rails]) -> Rails:
        """Whether a path that begins as given in the rest takes its next step to the anchor."""
        step = self.before.get(group.step)
        found = NOTHING
        for u, value in begin.items():
            edge = _at(step, self.before.layout.bit((u, node)))
            found = _or(found, (value[0] & edge[0], value[1] & edge[1]))
        return found

    def _closure(self, group: Group) -> None:
        if group.closure not in self.vocabulary:
            return
        must, may = self.result.get(group.closure)
        old = self.before.get(group.closure)
        independent = self._independent(group)
        bit = self.before.layout.bit
        width = self.result.layout.width
        for u, place in self.place.items():
            for node in self.images:
                if independent:
                    path = _at(old, bit((u, node)))
                else:
                    path = self._last_steps(group, node, {w: _at(old, bit((u, w))) for w in self.rest})
                row = self._from_anchor(group, node, whole=False)
                at = place * width + self.shift
                must |= (row[0] if path[0] else 0) << at
                may |= (row[1] if path[1] else 0) << at
        self.result.set(group.closure, (must, may))

    def _sharing(self, group: Group) -> None:
        """Anchors have edges from the rest beside those that the callee knows of."""
        name = f"is[{group.name}]"
        if name not in self.vocabulary:
            return
        bit = self.before.layout.bit
        for node, image in self.images.items():
            own = self.end.get(name)
            if own[0] >> image & 1:
                continue
            if self.before.get(name)[1] >> node & 1 or own[1] >> image & 1:
                self.result.reevaluate(name, 1 << (image + self.shift))
                continue
            outside, inside = NOTHING, NOTHING  # at most one edge from each side
            for u in self.rest:
                outside = _or(outside, _at(self.before.get(group.name), bit((u, node))))
            for u in range(self.end.size):
                inside = _or(inside, _at(self.end.get(group.name), self.end.layout.bit((u, image))))
            must, may = self.result.get(name)
            here = image + self.shift
            both = (outside[0] & inside[0], outside[1] & inside[1])
            self.result.set(name, (must | both[0] << here, may | both[1] << here))

    # What variables reach ---------------------------------------------------------------------------------------

    def _from_root(self, root: str) -> None:
        if root in self.heaps.calls.globals:
            return
        source = next((s for t, s in self.call.results if t == root), None)
        for group, name in self.heaps._reaches(root):
            if source is not None:
                value = self.end.get(renamed_root(name, root, source))
                self.result.set(name, (value[0] << self.shift, value[1] << self.shift))
            elif root in self.targets or root not in self.call.kept:
                self.result.set(name, NOTHING)
            else:
                whole = name == group.reach(root) and group.kind == CIRCULAR
                self.result.set(name, self._reached(group, root, name, whole))
        for member, name in self.heaps._not_null(root):
            if source is not None:
                self.result.set(name, self.end.get(renamed_root(name, root, source)))
            elif root in self.targets or root not in self.call.kept:
                self.result.set(name, NOTHING)
            else:
                self.result.set(name, self._cell_not_null(root, member, name))

    def _reached(self, group: Group, root: str, name: str, whole: bool) -> Rails:
        old = self.before.get(name)
        new = NOTHING
        for u, place in self.place.items():
            value = _at(old, u)
            new = _or(new, (value[0] << place, value[1] << place))
        independent = self._independent(group)
        for node in self.images:
            if independent:
                path = _at(old, node)
            else:
                path = self._last_steps(group, node, {u: _at(old, u) for u in self.rest})
                path = _or(path, _at(self.before.get(root), node))
            beyond = self._from_anchor(group, node, whole)
            beyond = (beyond[0] if path[0] else 0, beyond[1] if path[1] else 0)
            new = _or(new, (beyond[0] << self.shift, beyond[1] << self.shift))
        return new

    def _cell_not_null(self, root: str, member: str, name: str) -> Rails:
        may = self.before.get(root)[1]
        if not any(may >> node & 1 for node in self.images):
            return self.before.get(name)
        for node, parameter in self.anchors.items():
            known = f"nn[{parameter}->{member}]"
            if may == 1 << node and known in self.vocabulary and self.before.get(root)[0] == may:
                return self.end.get(known)
        return self.result.evaluated(name)

    def _cancellation(self) -> None:
        """Nodes of the rest with an edge to an anchor: whether an edge leads back has to be asked anew."""
        crossing = 0
        bit = self.before.layout.bit
        for name in self.heaps.calls.edges:
            may = self.before.get(name)[1]
            for u, place in self.place.items():
                if any(may >> bit((u, node)) & 1 for node in self.images):
                    crossing |= 1 << place
        for predicate in self.vocabulary:
            if self.heaps._is_cancellation(predicate.name) and predicate not in BUILTIN:
                self.result.reevaluate(predicate.name, crossing)
