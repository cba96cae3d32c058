"""The shapes at loop heads and returns in words: one sentence for each pointer, from the predicates of a structure.

The vocabulary is that of `semantics/vocabulary/predicates.py`: a pointer variable is a unary predicate, `r[g,p]` (for
circular structures `rt[g,p]`) holds for the nodes that `p` reaches along the cells of group `g`, `is[g]` for shared
nodes, `c[g]` for nodes on a cycle, `c[f,b]` for nodes where `b` leads back along `f`. The analysis forgets dead
variables, so they have no sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Place
from kleene.core.verdict import LEAKS
from kleene.logic.formula import predicates_of
from kleene.logic.kleene import Kleene
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.results.shape import ShapeResult
from kleene.semantics.contracts.programs import contract_at, without_contract
from kleene.semantics.steps.invocations import CallAction
from kleene.semantics.translate import Translation
from kleene.semantics.vocabulary.cancellation import cancelling
from kleene.structures.structure import Structure, StructureBuilder
from kleene.structures.tvs_writer import structure_order
from kleene.transformers.action import Action

_INLINED = re.compile(r"(&?)([^.&]+?)(?:\$\d+)?\.(.+)")
_NOT_DRAWN = (
    RoleKind.TEMPORARY,
    RoleKind.MARKER,
    RoleKind.SIZE,
    RoleKind.UNDEFINED_POINTER,
    RoleKind.UNDEFINED_TEMPORARY,
    RoleKind.UNDEFINED_CELL,
    RoleKind.HEAP,
    RoleKind.OUTSIDE,
    RoleKind.CUT,
)
_MADE_VARIABLE = "$"
"""How the names of variables begin that the program does not have."""
_MADE = re.compile(r"['~].*")
"""Suffixes that the inliner and the translation add to the name of a location."""
_MOST_WORDS = 20
_T, _H, _F = Kleene.TRUE, Kleene.UNKNOWN, Kleene.FALSE


@dataclass(frozen=True)
class Invariant:
    """The structures at a loop head, a return or a call, smallest first, and their sentences, each once."""

    place: Place
    where: str
    """"loop", "return" or, where a recursive function begins, "call"."""
    structures: list[Structure]
    words: list[str]
    names: Mapping[str, str]
    """Source names of pointer predicates."""
    live: Mapping[str, Sequence[str]]
    """The pointers that are read later, each with its predicates."""


def invariants_of(shape: ShapeResult, names: Mapping[str, Mapping[str, str]] | None = None) -> list[Invariant]:
    """The loop heads and returns of an abstract analysis in source order; empty if it gave up before it began.

    A function that is called from several places returns several times.

    `names` maps, for each location, a shared predicate to the variable that it holds.
    """
    if shape.reached is None or shape.translation is None:
        return []
    translation = shape.translation
    live = live_predicates(translation)
    result = []
    where = dict.fromkeys(_returns(translation.cfa, translation.places), "return")
    where |= dict.fromkeys(translation.cfa.loop_heads, "loop")
    for entry, _ in translation.procedures.values():
        where |= dict.fromkeys(Cfa(entry, translation.cfa.edges).loop_heads, "loop")
        where[entry] = "call"
    for location, what in where.items():
        place = translation.places.get(location)
        shown = shapes_shown_at(shape, location, live[location])
        structures = [structure for structure, _ in shown]
        if place is not None and structures and not contract_at(place.function)[0]:
            own = (names or {}).get(location, {})
            said = (words_of(s, alive, place.function, own, partial=shape.partial) for s, alive in shown)
            words = dict.fromkeys(said)
            describer = _Describer(structures[0], live[location], place.function, own)
            alive = describer.live_pointers
            result.append(Invariant(place, what, structures, list(words), describer.short_names, alive))
    return sorted(result, key=lambda i: (i.place.file, i.place.line, i.place.column, i.where))


def shapes_shown_at(shape: ShapeResult, location: str, live: frozenset[str]) -> list[tuple[Structure, frozenset[str]]]:
    """The structures of a location with the live predicates that they are about; no parts that say nothing."""
    shown = [(part, live if own is None else live & own) for part, own in shape.parts_at(location)]
    if shape.together is not None:
        shown = [(part, alive) for part, alive in shown if alive or part.size]
    return sorted(shown, key=lambda entry: structure_order(entry[0]))


def _returns(cfa: Cfa[Action], places: Mapping[str, Place]) -> list[str]:
    """The locations from which a function returns: to a place in another function that is not its beginning."""
    returns: dict[str, None] = {}
    for edge in cfa.edges:
        location = _MADE.sub("", edge.source)
        here, there = places.get(location), places.get(edge.target)
        if here is None or not here.function:
            continue
        leaves = there is not None and there.function != here.function and not edge.target.endswith(".0")
        if there is not None and contract_at(there.function)[0]:
            continue
        if leaves or edge.label.name == "return":
            returns[location] = None
    return list(returns)


def invariant_lines(invariants: Sequence[Invariant], *, complete: bool) -> list[str]:
    """For the terminal: one line for each loop head and return, and its shapes below it."""
    lines = [] if complete else ["the analysis did not finish: what follows are some of the shapes, not all"]
    if not invariants:
        return ["no shapes: exact exploration was enough, or the shape analysis did not run"]
    for invariant in invariants:
        place, words = invariant.place, invariant.words
        shapes = f"{len(words)} shape{'' if len(words) == 1 else 's'}"
        lines.append(f"{place.file}:{place.line}: {_title(invariant)}: {shapes}")
        lines += [f"    {text}" for text in words[:_MOST_WORDS]]
        if len(words) > _MOST_WORDS:
            lines.append(f"    ... and {len(words) - _MOST_WORDS} more")
    return lines


def _title(invariant: Invariant) -> str:
    words = {"loop": "loop in", "return": "return from", "call": "calls of"}
    return f"{words[invariant.where]} {invariant.place.function}"


def for_drawing(structure: Structure, names: Mapping[str, str], *, derived: bool = False) -> Structure:
    """The structure reduced for a drawing: pointers by source names, members, freed blocks; no derived predicate.

    With `derived`, those about single nodes are kept: people search for them.
    """
    drawn: dict[str, Predicate] = {}
    for p in sorted(structure.vocabulary, key=lambda p: -p.arity):  # members keep their names, variables may give way
        if (p.instrumentation and not (derived and p.arity == 1)) or p.is_a(*_NOT_DRAWN) or p in BUILTIN or _is_made(p):
            continue
        base = p.role.of if p.pointer and p.role is not None else p.name
        shown = names.get(base, base) + p.name.removeprefix(base) if p.pointer else p.name
        if p.is_a(RoleKind.CELL) and (member := member_of(p.name)) != p.name:
            shown = member
            if (same := next((d for d in drawn.values() if d.name == member and d.arity == p.arity), None)) is not None:
                drawn[p.name] = same  # the same member, to other places of its targets
                continue
        if p.instrumentation and p.role is not None and p.role.root in names:
            shown = shown.replace(f",{p.role.root}]", f",{names[p.role.root]}]")
        drawn[p.name] = Predicate(_free(without_contract(shown), drawn.values()), p.arity, p.args, pointer=p.pointer)
    builder = StructureBuilder(Vocabulary(tuple(dict.fromkeys(drawn.values()))), structure.size)
    known: dict[tuple[str, tuple[int, ...]], Kleene] = {}
    for old, new in drawn.items():
        for nodes, value in structure.entries(old):
            if known.get((new.name, nodes)) is not Kleene.TRUE:
                known[new.name, nodes] = value
                builder.set(new.name, nodes, value)
    for node in structure.nodes:
        if structure.is_summary(node):
            builder.set("sm", (node,), _H)
    return builder.build()


def member_of(cell: str) -> str:
    """The member that a cell is, as the source names it: without the place in its targets, and without `*`."""
    names = re.sub(r"\+\d+$", "", cell).split("|")
    return "|".join(name for name in names if name != "*") or cell


def _is_made(p: Predicate) -> bool:
    """Whether it is about a variable that the program does not have: the reader and the passes made it."""
    return p.role is not None and p.role.of.startswith(_MADE_VARIABLE)


def _free(name: str, taken: Iterable[Predicate]) -> str:
    names = {p.name for p in taken}
    while name in names:
        name += "'"
    return name


def live_predicates(translation: Translation) -> dict[str, frozenset[str]]:
    """For each location the predicates that some path reads before it sets them; looking for leaks is no reading."""
    cfa, vocabulary = translation.cfa, translation.vocabulary
    leaks = {text for text, alarm in translation.alarms.items() if alarm.kind in LEAKS}
    undefined = (RoleKind.UNDEFINED_POINTER, RoleKind.UNDEFINED_TEMPORARY)
    pointers = {p.name: p.role.of for p in vocabulary if p.role is not None and p.role.kind in undefined}
    nothing: frozenset[str] = frozenset()
    looking = {e.label for e in cfa.edges if any(message.text in leaks for message in e.label.messages)}
    reads = {e.label: (nothing, nothing) if e.label in looking else _effect(e.label, pointers) for e in cfa.edges}
    live: dict[str, frozenset[str]] = {name: frozenset() for name in cfa.locations}
    waiting = list(cfa.locations)
    while waiting:
        location = waiting.pop()
        new: set[str] = set()
        for edge in cfa.leaving(location):
            read, written = reads[edge.label]
            new |= read | (live[edge.target] - written)
        if new != live[location]:
            live[location] = frozenset(new)
            waiting += [edge.source for edge in cfa.entering(location)]
    return live


def _effect(action: Action, pointers: Mapping[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """What an action reads, and what it sets. `pointers` has for 'is not initialized' the pointer."""
    formulas = [*action.focus, *(m.condition for m in action.messages), *(u.formula for u in action.updates)]
    if action.precondition is not None:
        formulas.append(action.precondition)
    read = {name for f in formulas for name in predicates_of(f)}
    read |= {pointers[name] for name in read & pointers.keys()}
    written = {u.predicate for u in action.updates}
    if isinstance(action, CallAction):
        read |= {argument for _, argument in (*action.given, *action.values)}
        written |= {target for target, _ in (*action.results, *action.result_values)}
    return frozenset(read), frozenset(written)


def short_names_of(
    structure: Structure, live: Iterable[str] | None, function: str, names: Mapping[str, str]
) -> Mapping[str, str]:
    """Pointer predicates with the names that people know them by, as seen from a function."""
    return _Describer(structure, None if live is None else frozenset(live), function, names).short_names


def words_of(
    structure: Structure,
    live: Iterable[str] | None = None,
    function: str = "",
    names: Mapping[str, str] | None = None,
    *,
    partial: bool = False,
) -> str:
    """One sentence about each live pointer of a structure, as seen from a function.

    With `partial`, some pointers and cells are untracked: unreachable nodes have no sentence.
    """
    describer = _Describer(structure, None if live is None else frozenset(live), function, names or {})
    sentences = "; ".join(describer.sentences(partial=partial))
    if not sentences and partial:
        return "no pointer that is used from here on is tracked"
    if not sentences and not any(True for _ in structure.entries("heap")):
        return "no block on the heap"
    return sentences or "no pointer that is still used"


class _Describer:
    """Describes a structure in words."""

    def __init__(
        self, structure: Structure, live: frozenset[str] | None, function: str, names: Mapping[str, str]
    ) -> None:
        self.structure = structure
        self.source_names = names
        self.function = function
        self.vocabulary: Vocabulary = structure.vocabulary
        self.live = live
        self.said: dict[int, str] = {}

    def sentences(self, *, partial: bool = False) -> list[str]:
        pointers: list[str] = []
        for name, predicates in self.pointers.items():
            if self._is_live(name, predicates):
                pointers.append(f"{self._short_name(name)}: {self._pointer(name, predicates)}")
        return pointers + ([] if partial else self._lost_blocks()) + self._integers()

    @cached_property
    def short_names(self) -> dict[str, str]:
        """Short names: without the function if it is this one, without the number if nothing else has the name."""
        short: dict[str, str] = {}
        for name in self.pointers:
            bare = name.rstrip("'")
            source = self.source_names.get(bare, bare)
            if source in self.pointers:  # it has its own predicate, so it is not shared
                source = bare
            source = without_contract(source)
            match = _INLINED.fullmatch(source)
            variable = f"{match[1]}{match[3]}" if match else source
            if match and match[2] != self.function:
                variable += f" (of {match[2]})"
            short[name] = re.sub(r"#\d+", "", variable)
        counts = Counter(short[n] for n in short if self._is_live(n, self.pointers[n]))
        return {name: text if counts[text] <= 1 else name for name, text in short.items()}

    @property
    def live_pointers(self) -> dict[str, list[str]]:
        """The pointer variables that are live, with their predicates."""
        return {name: own for name, own in self.pointers.items() if self._is_live(name, own)}

    def _short_name(self, name: str) -> str:
        return self.short_names.get(name, name)

    def _is_live(self, name: str, predicates: Sequence[str]) -> bool:
        """Variables that are memory objects are always of interest; so is what is live."""
        if self.live is None or name in self.objects:
            return name not in self.objects or any(True for _ in self._entries(name))
        return (
            any(p in self.live for p in predicates) or self._predicate_of(RoleKind.UNDEFINED_POINTER, name) in self.live
        )

    @cached_property
    def objects(self) -> frozenset[str]:
        """The predicates of variables that are memory objects."""
        return frozenset(p.name for p in self.vocabulary if p.is_a(RoleKind.OBJECT))

    @cached_property
    def _names(self) -> dict[tuple[RoleKind, str], str]:
        return {(p.role.kind, p.role.of): p.name for p in self.vocabulary if p.role is not None}

    def _predicate_of(self, kind: RoleKind, of: str) -> str:
        """The predicate with that role; an empty name if there is none."""
        return self._names.get((kind, of), "")

    @cached_property
    def pointers(self) -> dict[str, list[str]]:
        """Pointer variables with their predicates, one for each offset; temporaries are left out."""
        pointers: dict[str, list[str]] = {}
        for p in self.vocabulary:
            if p.role is not None and p.is_a(RoleKind.POINTER, RoleKind.OBJECT) and not _is_made(p):
                pointers.setdefault(p.role.of, []).append(p.name)
        return pointers

    @cached_property
    def groups(self) -> dict[str, dict[str, str]]:
        """For each group of cells: a map from pointer predicates to their reachability predicates."""
        groups: dict[str, dict[str, str]] = {}
        for p in self.vocabulary:
            role = p.role
            if role is not None and role.kind in (RoleKind.REACHED, RoleKind.WHOLE_REACHED):
                reach = groups.setdefault(role.of, {})
                known = reach.get(role.root)
                if known is None or not self.vocabulary[known].is_a(RoleKind.WHOLE_REACHED):
                    reach[role.root] = p.name
        return groups

    def _entries(self, predicate: str) -> list[tuple[int, Kleene]]:
        if predicate not in self.vocabulary:
            return []
        return [(nodes[0], value) for nodes, value in self.structure.entries(predicate)]

    def _value(self, predicate: str, *nodes: int) -> Kleene:
        return self.structure.value(predicate, *nodes) if predicate in self.vocabulary else _H

    # One pointer ------------------------------------------------------------------------------------------------

    def _pointer(self, name: str, predicates: Sequence[str]) -> str:
        initialized = self._predicate_of(RoleKind.UNDEFINED_POINTER, name)
        undefined = self._value(initialized) if initialized else _F
        if undefined is _T:
            return "not initialized"
        targets = [(node, value, p) for p in predicates for node, value in self._entries(p)]
        doubt = "perhaps not initialized, or " if undefined is _H else ""
        if not targets:
            return doubt + "NULL"
        if len(targets) > 1 or targets[0][1] is not _T:
            return doubt + "NULL or some node"
        node, _, predicate = targets[0]
        role = self.vocabulary[predicate].role
        inside = f"offset {role.offset} of " if role is not None and role.offset else ""
        if self._value("freed", node) is not _F and "freed" in self.vocabulary:
            perhaps = "" if self._value("freed", node) is _T else "perhaps "
            return f"{doubt}{inside}a block that is {perhaps}freed"
        if node in self.said and name not in self.objects:
            return f"{doubt}{inside}the same node as {self.said[node]}"
        self.said.setdefault(node, self._short_name(name))
        if name in self.objects:
            return self._object(node, predicate)
        owner = self._owner(node, name)
        if owner:
            return f"{doubt}{inside}{owner}"
        return doubt + inside + self._shape(node, predicate)

    def _object(self, node: int, predicate: str) -> str:
        return "a variable; " + self._shape(node, predicate)

    def _owner(self, node: int, name: str) -> str:
        """The other pointer that reaches the node along the forward cells, in words."""
        group, reach = next(iter(self.groups.items()), ("", {}))
        for other, predicate in reach.items():
            pointer = self.vocabulary.get(other)
            base = pointer.role.of if pointer is not None and pointer.role is not None else other
            if base == name or base not in self.pointers or not self._is_live(base, self.pointers[base]):
                continue
            starts = [n for n, value in self._entries(other) if value is _T]
            if not starts or starts == [node] or self._value(predicate, node) is not _T:
                continue
            around = name in reach and self._value(reach[name], starts[0]) is not _F
            if not around or self._short_name(base) in self.said.values():  # on a cycle one of them is described first
                own = reach.get(name)
                kind = "list" if len(_members(group, self.vocabulary)) == 1 else "structure"
                return f"in the {kind} of {self._short_name(base)}" + (
                    f", {self._count(own)} from there on" if own else ""
                )
        return ""

    def _count(self, predicate: str) -> str:
        """The number of nodes of a predicate, in words: at least those where it is 1; a summary node is one or more."""
        entries = self._entries(predicate)
        sure = sum(value is _T for _, value in entries)
        more = any(value is _H or self.structure.is_summary(node) for node, value in entries)
        return f"{sure}{' or more' if more else ''} node{'' if sure == 1 and not more else 's'}"

    def _shape(self, node: int, predicate: str) -> str:
        parts: list[str] = []
        for group, reach in self.groups.items():
            if predicate in reach:
                parts.append(self._along(group, reach[predicate], first=not parts))
        return "; ".join(filter(None, parts)) or self._around(node)

    def _around(self, node: int) -> str:
        """Without reachability predicates: the cells that may lead forward, and those that lead back."""
        around, waiting = {node}, [node]
        cells: dict[str, None] = {}
        edges = [p.name for p in self.vocabulary if p.arity == 2 and not p.instrumentation and p not in BUILTIN]
        while waiting:
            here = waiting.pop()
            for edge in edges:
                for (source, target), _ in self.structure.entries(edge):
                    if source == here:
                        cells[edge] = None
                        waiting += [target] if target not in around else []
                        around.add(target)
        undone = [
            f"{b} undoes {f}"
            for f in cells
            for b in cells
            if cancelling(f, b) in self.vocabulary and all(self._value(cancelling(f, b), n) is _T for n in around)
        ]
        return ", ".join([f"a node, and others along {' and '.join(cells)}" if cells else "a node", *undone])

    def _along(self, group: str, reach: str, *, first: bool) -> str:
        """The shape along one group of cells. Back cells are described only if they reach more than one node."""
        nodes = [node for node, _ in self._entries(reach)]
        members = _members(group, self.vocabulary)
        if not first:
            return "" if len(nodes) <= 1 else f"{self._count(reach)} along {group} with it"
        on_cycle = self._predicate_of(RoleKind.ON_CYCLE, group)
        cyclic = [self._value(on_cycle, node) for node in nodes]
        acyclic = not on_cycle and self.vocabulary[group].has("acyclic")
        form = "acyclic " if acyclic or all(c is _F for c in cyclic) else "circular " if set(cyclic) == {_T} else ""
        kind = "list"
        if len(members) > 1:
            alone = all(self._value(self._predicate_of(RoleKind.SHARED, group), node) is _F for node in nodes)
            kind, form = ("tree", "") if alone and form == "acyclic " else ("structure", form)
        text = f"{form}{kind} of {self._count(reach)}" + (f" along {', '.join(members)}" if kind == "structure" else "")
        freed = [n for n in nodes if "freed" in self.vocabulary and self._value("freed", n) is not _F]
        return text + (", some of them freed" if freed else "") + self._back(members, nodes)

    def _back(self, members: Sequence[str], nodes: Sequence[int]) -> str:
        """Back pointers whose predicate `c[f,b]` holds everywhere in the shape."""
        cells = [
            p.role.back
            for p in self.vocabulary
            if p.role is not None
            and p.role.kind is RoleKind.LEADS_BACK
            and p.role.of in members
            and p.role.back not in members
            and all(self._value(p.name, node) is _T for node in nodes)
        ]
        return f", {' and '.join(dict.fromkeys(cells))} leads back" if cells else ""

    # The rest ---------------------------------------------------------------------------------------------------

    def _lost_blocks(self) -> list[str]:
        """Blocks that no pointer reaches."""
        reaches = [predicate for reach in self.groups.values() for predicate in reach.values()]
        reaches += [p for predicates in self.pointers.values() for p in predicates]
        covered = {node for p in reaches for node, _ in self._entries(p)}
        lost = [n for n in self.structure.nodes if n not in covered and self._value("heap", n) is _T]
        return ["a block that no pointer reaches"] if lost else []

    def _integers(self) -> list[str]:
        integers = []
        for p in self.vocabulary:
            role = p.role
            if role is None or role.kind is not RoleKind.INTEGER or _is_made(p) or self._value(p.name) is not _T:
                continue
            if self.live is None or p.name in self.live:
                integers.append(f"{self._short_name(role.of)} = {role.value}")
        return integers


def _members(group: str, vocabulary: Vocabulary) -> list[str]:
    """The cells that a group stands for: itself, or the parts of its definition."""
    definition = vocabulary[group].definition
    if definition is None:
        return [group]
    names: Mapping[str, None] = dict.fromkeys(p.name for p in vocabulary if p.name in predicates_of(definition))
    return list(names)
