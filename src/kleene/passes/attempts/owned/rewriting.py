"""The automaton in which one block is followed: its locations are those of the program with facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kleene.cfa.expressions import AddressOf, Constant, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Operation, Place, Print, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.passes.attempts.choices import copy_name
from kleene.passes.attempts.owned.following import Following, Node, TooMany
from kleene.passes.attempts.owned.loads import with_loads
from kleene.passes.attempts.owned.selection import Owned, owned_arrays
from kleene.passes.attempts.owned.structs import with_members_copied
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.chosen import bare

MOST_ARRAYS = 3
"""Arrays of a program whose blocks are followed: each multiplies the locations."""

Rewriting = Callable[[Cfa[Operation], Owned], tuple[Cfa[Operation], tuple[Variable, ...]]]
"""An automaton in another form for one array, and its new variables."""
Way = tuple[tuple[Operation, ...], str]
"""Operations, and where they lead."""


def with_followed_blocks(program: CProgram) -> tuple[CProgram, frozenset[Variable]] | None:
    """The program in which one block of each array is followed, and the pointers to such blocks; None if there is none.

    A pointer to a block that is not followed is NULL there. So the second result has these pointers, and those to
    elements.
    """
    holders: frozenset[Variable] = frozenset()
    for number in range(MOST_ARRAYS):
        changed = _with_followed_block(program, number)
        if changed is None:
            break
        program, own = changed
        holders |= own
    return (program, holders) if holders else None


def _with_followed_block(program: CProgram, number: int) -> tuple[CProgram, frozenset[Variable]] | None:
    if set(program.functions) != {program.entry}:
        return None
    for own in owned_arrays(program, program.main.cfa):
        changed: CProgram = program
        again: Owned | None = own
        for rewriting in (with_members_copied, with_loads):
            if again is not None:
                changed, again = _rewritten(changed, again, rewriting)
        if again is None:
            continue
        main = changed.main
        try:
            coder = _Coder(changed, again, f"followed{number} ")
        except TooMany:
            continue
        cfa = coder.run()
        known = set(main.locals)
        used = {n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
        fresh = sorted((v for v in used - known if not v.is_global and v.name.startswith(_NEW)), key=str)
        main = replace(main, cfa=cfa, locals=(*main.locals, *fresh))
        return replace(changed, functions={main.name: main}), again.holders | {coder.following.steps.held} | _moved(
            again
        )
    return None


def _rewritten(program: CProgram, own: Owned, rewriting: Rewriting) -> tuple[CProgram, Owned | None]:
    """The program in another form, and the same array there, if it can be followed still."""
    cfa, new = rewriting(program.main.cfa, own)
    main = replace(program.main, cfa=cfa, locals=(*program.main.locals, *new))
    if main == program.main:
        return program, own
    changed = replace(program, functions={main.name: main})
    return changed, next((o for o in owned_arrays(changed, cfa) if o.arrays == own.arrays), None)


def _moved(own: Owned) -> frozenset[Variable]:
    """The variables that may point to an element that is not the first: in the result, they point to the array."""
    copies = [(o.target, bare(o.value)) for o in own.blocks.operations if isinstance(o, Assign)]
    pointers = [(target, value) for target, value in copies if isinstance(target, Variable) and own.is_array(target)]
    moved = {target for target, value in pointers if isinstance(value, PointerOffset | AddressOf)}
    while more := {target for target, value in pointers if value in moved} - moved:
        moved |= more
    return frozenset(moved)


_NEW = ("$", "block in")


class _Coder:
    """Writes one automaton."""

    def __init__(self, program: CProgram, own: Owned, prefix: str) -> None:
        self.following = Following(program, program.main.cfa, own)
        self.following.run()
        self.chains = Chains(prefix)

    def run(self) -> Cfa[Operation]:
        following, chains = self.following, self.chains
        held = following.steps.held
        place = following.cfa.leaving(following.cfa.entry)[0].label.place
        entry = chains.location()
        chains.connect(chains.add(entry, Assign(place, held, Constant(0, held.type))), _name(following.start), place)
        ways: dict[Node, dict[Way, None]] = {}
        over: dict[Node, None] = {}
        for node, states in following.at.items():
            for state in states.values():
                for source, edge, step in following.walk(node, state):
                    target = chains.prefix if step.is_last else _name((edge.target, step.facts))
                    if following.is_over(step.facts) and not step.is_last:
                        over[edge.target, step.facts] = None
                    ways.setdefault(source, {})[step.operations, target] = None
        for source, own in ways.items():
            self._ways(_name(source), list(own), following.cfa.leaving(source[0])[0].label.place)
        for node in over:
            self._stay(node)
        return Cfa(entry, chains.shorten())

    def _stay(self, node: Node) -> None:
        """A run goes on here without the block, which says nothing of it any more; but it has lost nothing."""
        following = self.following
        leaving = following.cfa.leaving(node[0])
        live = sorted(following.live[node[0]] - following.own.holders, key=str)
        kept = tuple(v for v in live if isinstance(v.type, PointerType))
        if leaving and kept:
            self.chains.edges.append(Edge(_name(node), Print(leaving[0].label.place, None, kept), _name(node)))

    def _ways(self, here: str, ways: list[Way], place: Place) -> None:
        if len(ways) == 2 and _are_opposite(ways[0][0][0], ways[1][0][0]):
            for operations, target in ways:
                self._chain(here, operations, target)
            return
        for operations, target in ways[:-1]:
            one, here = self.chains.maybe(here, place)
            self._chain(one, operations, target)
        self._chain(here, *ways[-1])

    def _chain(self, here: str, operations: tuple[Operation, ...], target: str) -> None:
        for operation in operations[:-1]:
            here = self.chains.add(here, operation)
        self.chains.edges.append(Edge(here, operations[-1], target))


def _are_opposite(one: Operation, two: Operation) -> bool:
    return (
        isinstance(one, Assume)
        and isinstance(two, Assume)
        and one.condition == two.condition
        and one.truth != two.truth
    )


def _name(node: Node) -> str:
    return copy_name(node[0], str(node[1]))
