"""The fixpoint: the facts with which runs come to each location, and the relations of numbers with each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from kleene.cfa.expressions import Comparison, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assume, Exit, Operation, Return
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.passes.attempts.owned.elements import Step
from kleene.passes.attempts.owned.facts import LIVE, NOTHING, SLOT, Facts, Side
from kleene.passes.attempts.owned.selection import Owned
from kleene.passes.attempts.owned.steps import Steps
from kleene.passes.attempts.owned.wrapped import WRAP
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.blocks_of_pointers import factors
from kleene.passes.facts.liveness import defined_variables, live_before
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.fixpoint import ALL, PATIENCE, TIGHTENED, Nulls
from kleene.passes.facts.relations.merging import merge
from kleene.passes.facts.relations.states import State, covers, image
from kleene.passes.facts.relations.zones import GAP_STEPS, ZERO, widen

MOST_NODES = 600
"""Locations with facts: with more of them, the result would be too large to analyse."""
MOST_WALKS = 5_000
"""Ways from one meeting of ways to the next ones that are gone: a ring in two functions needs some 2,000, in 3 s of the
processor; more than this take half a minute."""
MOST_ROUNDS = 2
"""How often more indices are told apart: each takes as long as all before."""

Node = tuple[str, Facts]
"""A location and what is known there."""


class TooMany(Exception):
    """There are more locations with facts than it makes sense to analyse."""


class Following:
    """One array of one automaton. States are kept where ways come together; between, they are computed again."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation], own: Owned) -> None:
        self.cfa, self.own = cfa, own
        self.steps = Steps(program, cfa, own)
        self.live = live_before(cfa, {v for e in cfa.edges for v in defined_variables(e.label)} | own.holders)
        ended = {e.target for e in cfa.edges if not cfa.leaving(e.target)}
        self.meetings = {name for name in cfa.locations if len(cfa.entering(name)) > 1 or name in ended} | {cfa.entry}
        wrapped = {n for n in self.meetings if all(WRAP in edge.source for edge in cfa.entering(n))}
        self.meetings -= wrapped - cfa.loop_heads - ended - {cfa.entry}  # whether a number wrapped is not forgotten
        self.steps.live = self.live
        self.at: dict[Node, dict[Nulls, State]] = {}
        self.indices: frozenset[Variable] = frozenset()
        """The indices on whose sides elements are told apart."""

    def run(self) -> None:
        """Compute the states of all meetings, for any block; raises TooMany.

        Zones cannot say that an element is before an index or behind it. Where a block seems to be lost or is used
        after its end, the sides of the index that is used there are told apart.
        """
        if not self.steps.at:
            raise TooMany
        self._solve_both()
        for _ in range(MOST_ROUNDS):
            more = self._doubtful_indices()
            if more <= self.indices or not self._tell(more):
                return

    def _solve_both(self) -> None:
        """First one element is followed, then one block.

        What elements have where they are read is not computed again if nothing can be gained: each has one thing there.
        Where an element may have no value though it was set in other runs, indices are told apart before the block is
        followed, which takes longer.
        """
        self.steps.told = self.indices
        if not self.steps.loaded or any(len(tags) > 1 for tags in self.steps.loaded.values()):
            self.steps.loaded = {}
            self.steps.follows_slot = True
            self._solve()
            more = self._unset_indices()
            if not self.indices and more and self._tell(more):
                return
        self.steps.follows_slot = False
        self._solve()

    def _tell(self, more: frozenset[Variable]) -> bool:
        """Tell more indices apart; false if there are too many locations with them, and nothing has changed."""
        before = (self.at, self.steps.loaded, self.indices)
        self.indices |= more
        try:
            self._solve_both()
        except TooMany:
            self.at, self.steps.loaded, self.indices = before
            self.steps.told = self.indices
            return False
        return True

    def _unset_indices(self) -> frozenset[Variable]:
        """The indices of elements that may have no value where they are read, or a value; and the ends of indices."""
        unset = {name for name, tags in self.steps.loaded.items() if NOTHING in tags and len(tags) > 1}
        found = frozenset(i for name in unset for e in self.cfa.leaving(name) for i in self.steps.indices_of(e.label))
        compared = [e.label.condition for e in self.cfa.edges if isinstance(e.label, Assume)]
        sides = [{bare(c.left), bare(c.right)} for c in compared if isinstance(c, Comparison)]
        ends = {n for pair in sides if pair & found for n in pair if isinstance(n, Variable) and n in self._numbers}
        return self._with_totals(found | ends)

    @cached_property
    def _numbers(self) -> frozenset[Variable]:
        """The numbers that are stored at or read by: those that are indices themselves."""
        return frozenset(self.steps.indexed)

    def _doubtful_indices(self) -> frozenset[Variable]:
        """The indices of operations that lose the block, or read it from an element after its end.

        Where the array or the program ends with the block in an element, that should have been behind a length.
        """
        found = {
            index
            for node, states in self.at.items()
            for state in states.values()
            for (_, facts), edge, step in self.walk(node, state)
            if not step.is_last and _is_doubtful(edge.label, facts, step.facts)
            for index in self.steps.indices_of(edge.label) or self.own.lengths
        }
        return self._with_totals(frozenset(found))

    def _with_totals(self, found: frozenset[Variable]) -> frozenset[Variable]:
        """The indices with the end of a ring in the place of its length: it says more."""
        for total, terms in self.steps.sums.items():
            if found.issuperset(terms):
                found = (found - (set(terms) - self.steps.wrapped)) | {total}
        return found

    @property
    def start(self) -> Node:
        return self.cfa.entry, self.steps.first().only(self.live[self.cfa.entry])

    @property
    def _starts(self) -> list[Node]:
        """The ways to begin: with each member of the followed element."""
        location, facts = self.start
        members = range(len(self.own.members)) if self.steps.follows_slot else (0,)
        return [(location, replace(facts, member=m)) for m in members]

    def is_over(self, facts: Facts) -> bool:
        """Whether a choice says no more of the program: something else may have a part of the block that was freed."""
        return facts.is_over and not self.own.parts

    def walk(
        self, node: Node, state: State, visited: set[str] | None = None
    ) -> Iterator[tuple[Node, Edge[Operation], Step]]:
        """The steps from a meeting to the next ones, each with its source. `visited` gets all locations."""
        waiting = [(node, state)]
        while waiting:
            (location, facts), state = waiting.pop()
            if visited is not None:
                visited.add(location)
            if self.is_over(facts):
                continue
            for edge in self.cfa.leaving(location):
                for step in self.steps.steps(edge, facts, state):
                    known = step.facts.only(self.live[edge.target])
                    step = replace(step, facts=known.without_loads(frozenset(defined_variables(edge.label))))
                    if edge.target in self.meetings and not step.is_last:
                        yield from (((location, facts), edge, own) for own in self._sides(step, edge.target))
                        continue
                    yield (location, facts), edge, step
                    if not step.is_last:
                        waiting.append(((edge.target, step.facts), step.state))

    def _sides(self, step: Step, location: str) -> Iterator[Step]:
        """A step, once for each order of the followed elements and the indices that are told apart."""
        numbers = step.facts.numbers()
        ways: list[tuple[frozenset[Side], State]] = [(frozenset(), step.state)]
        live = self.live[location]
        for index in sorted((i for i in self.indices if live.issuperset(self.steps.sums.get(i, (i,)))), key=str):
            for number in numbers:
                ways = [
                    (sides | {(number, operator, index)}, here)
                    for sides, state in ways
                    for operator, here in self.steps.compared(number, index, state)
                ]
        yield from (replace(step, facts=replace(step.facts, sides=sides), state=here) for sides, here in ways)

    def _solve(self) -> None:
        steps, cfa = self.steps, self.cfa
        order, heads = cfa.post_order, cfa.loop_heads
        first = steps._initial()
        if steps.follows_slot:
            first.held[SLOT] = first.fresh(0, steps.program.largest_block if self.last is None else self.last)
        self.at = {start: {ALL: first.copy()} for start in self._starts}
        waiting: dict[tuple[Node, Nulls], None] = {(start, ALL): None for start in self._starts}
        visits: dict[Node, int] = {}
        passing: dict[str, dict[tuple[Node, Nulls], None]] = {}
        walks = 0
        while waiting:
            here = max(waiting, key=lambda item: order[item[0][0]])
            del waiting[here]
            node, part = here
            if part not in self.at[node]:
                continue
            walks += 1
            visited: set[str] = set()
            for _, edge, step in self.walk(node, self.at[node][part], visited):
                if edge.target in self.meetings and not step.is_last:
                    target = (edge.target, step.facts)
                    nulls = self._join(target, step.state, visits, is_head=edge.target in heads)
                    if nulls is not None:
                        waiting[target, nulls] = None
            for location in visited:
                passing.setdefault(location, {})[here] = None
            for location in steps.changed:  # other elements may have this, too
                waiting.update(passing.get(location, {}))
            waiting |= {here: None} if steps.changed else {}
            steps.changed.clear()
            if len(self.at) > MOST_NODES or walks > MOST_WALKS:
                raise TooMany

    def _join(self, node: Node, after: State, visits: dict[Node, int], *, is_head: bool) -> Nulls | None:
        """Add a state; the part of the states that has changed, if one has."""
        steps, states = self.steps, self.at.setdefault(node, {})
        live = self.live[node[0]]
        after.held = {
            k: s for k, s in after.held.items() if not isinstance(k, Variable) or k in live or not self._may_end(k)
        }
        nulls = steps._part_of(after, states, node[0], is_head=is_head)
        if nulls == ALL and states and ALL not in states:
            after = steps._all_parts(states, after, node[0])
            states.clear()
        after.collect()
        known = states.get(nulls)
        if known is None:
            states[nulls] = after
            return nulls
        visits[node] = visits.get(node, 0) + 1
        changed = steps.share_promises(known, after, node[0])
        symbols = None if changed else image(known, after)
        if symbols is not None:
            settled = [(s, (s, twin)) for s, twin in symbols.items()]
            return nulls if steps._settle(known, after, known, settled) else None
        joint, pairs = merge(known, after)
        steps._settle(known, after, joint, list(enumerate(pairs, 1)))
        if visits[node] > PATIENCE and is_head:
            self._keep_gaps(node[1], joint)
            widen(known.zone, joint.zone, pairs, steps._landmarks.of_each(joint.holders()), self.gap_steps)
            joint.sharpen()
            for number in node[1].numbers():  # an element is in the array
                joint.zone.add(ZERO, joint.held[number], 0)
                if self.last is not None:
                    joint.zone.add(joint.held[number], ZERO, self.last)
            if visits[node] <= TIGHTENED:
                joint.zone.tighten()
        if not changed and covers(known, joint, pairs):
            return None
        states[nulls] = joint
        return nulls

    def _keep_gaps(self, facts: Facts, joint: State) -> None:
        """Write down how far elements are from indices: bounds say it, and are widened."""
        zone = joint.zone
        for number in facts.numbers():
            for index in (joint.held[i] for i in self.indices if i in joint.held):
                for one, two in ((joint.held[number], index), (index, joint.held[number])):
                    if one != two and {one, two} <= zone.bounds.keys():
                        zone.gaps.setdefault((one, two), zone.upper(one, two))

    @cached_property
    def last(self) -> int | None:
        """The number of the last element of the array, if its length is a constant: no element is behind it."""
        counts = [self._count(o) for o in self.own.blocks.operations if self.own.makes_array(o)]
        known = [count for count in counts if count is not None]
        return max(known) - 1 if known and len(known) == len(counts) else None

    @cached_property
    def gap_steps(self) -> tuple[int, ...]:
        """Differences at which growing ones stop: where numbers go round, also at the length of the array."""
        if self.last is None or not self.steps.wrapped:
            return GAP_STEPS
        return tuple(sorted(step + round_ for step in GAP_STEPS for round_ in (-self.last - 1, 0, self.last + 1)))

    def _count(self, label: Operation) -> int | None:
        """The constant number of elements of an array that is made."""
        if isinstance(label, Allocate) and isinstance(label.target.type, PointerType) and label.target.type.count:
            return label.target.type.count  # it stands for an array
        product = factors(label.size) if isinstance(label, Allocate) else None
        count = constant_of(product[0]) if product is not None else None
        return None if product is None or count is None else count * product[1] // self.own.scale

    def _may_end(self, variable: Variable) -> bool:
        """Whether a variable is one of the program, which is of no use where it is not read again."""
        return variable in self._variables

    @cached_property
    def _variables(self) -> frozenset[Variable]:
        return frozenset(v for e in self.cfa.edges for v in defined_variables(e.label) if not v.is_global)


def _is_doubtful(label: Operation, before: Facts, after: Facts) -> bool:
    """Whether the block is lost by an operation, or there when the program ends, or read after its end."""
    is_left = isinstance(label, Return | Exit) and before.block == LIVE
    return is_left or before.has_lost_in(after) or before.reads_ended_in(after)
