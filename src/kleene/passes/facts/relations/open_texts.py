"""Texts that have no terminator for a while: ``strncpy(p->name, s, 15); p->name[15] = 0;``.

A promise (`promises`) says that all texts of a kind that memory leads to have a terminator. An operation may lose that
of one text, and a later one sets it again. In between, this text is *open*: the promise holds for all others, and no
pointer that may lead to the open one gets what is promised.

A state notes the struct of an open array under a name that no variable of a program has. So the note is kept as long as
the state is, and where states meet, both must have it. Where it cannot be kept, the promise is broken: where another
text is open already, at calls of functions that are analysed apart, and where no variable says which text of the other
state is meant. A note that says too much is no error: it only takes a promise away.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from kleene.cfa.expressions import Deref, Expression, Field, Variable, walk, without_casts
from kleene.cfa.operations import expressions
from kleene.cfa.types import INT, ArrayType, PointerType
from kleene.passes.facts.relations.promises import Promises
from kleene.passes.facts.relations.states import Cell, Part, State
from kleene.passes.facts.relations.texts import NEWEST, OLDEST, SHORT, Texts

WHOLE = -1
"""In place of the offset of an array in a struct: the block itself is the text."""


class OpenTexts(Texts):
    """The texts for which a promise does not hold at the moment: one for each offset in structs."""

    promises: Promises
    byte_arrays: dict[object, list[tuple[int, int]]]
    """The offsets and sizes of the arrays of bytes in the structs of each kind."""

    @cached_property
    def _notes(self) -> dict[int, Variable]:
        """The names of the notes of open texts, by offset."""
        offsets = sorted({offset for arrays in self.byte_arrays.values() for offset, _ in arrays})
        return {offset: Variable(f"open text {offset}", PointerType(INT)) for offset in (WHOLE, *offsets)}

    def opens(self, owner: int, offset: int, state: State) -> bool:
        """A text loses its terminator, and is open from here on; false if the promise cannot be kept like this.

        A block is a text by itself only where all pointers in memory lead to its start: a terminator that is set later
        need not be behind another one.
        """
        kinds = state.blocks.get(owner)
        if offset not in self._notes or not kinds:
            return False
        keys = [kind if offset == WHOLE else (kind, offset) for kind in kinds]
        if not all(self.promises.holds("ended", key) for key in keys):
            return False
        if offset == WHOLE:
            is_start = state.held.get(Part("block", owner, 1)) == owner
            are_texts = kinds <= self.promises.texts and not any(kind in self.byte_arrays for kind in kinds)
            if not is_start or not are_texts or not all(self.promises.holds("starts", kind) for kind in kinds):
                return False
        known = state.held.setdefault(self._notes[offset], owner)
        return owner in self._same_owners(known, offset, state)

    @staticmethod
    def _same_owners(owner: int, offset: int, state: State) -> set[int]:
        """The symbols of the block of a text: where one was NULL when paths met, two may have one array."""
        array = state.held.get(Part("member", owner, offset))
        if array is None:
            return {owner}
        members = [(k, s) for k, s in state.held.items() if isinstance(k, Part) and k.kind == "member"]
        return {key.symbol for key, symbol in members if symbol == array and key.scale == offset}

    def is_open(self, owner: int, offset: int, state: State) -> bool:
        """Whether a text may be open."""
        note = self._notes.get(offset)
        known = state.held.get(note) if note is not None else None
        if known is None:
            return False
        return any(self._may_be_same(state, owner, symbol) for symbol in self._same_owners(known, offset, state))

    def close_texts(self, state: State) -> None:
        """Open texts that have a terminator again are like all others."""
        for offset, note in self._notes.items() if self.promises.kinds else ():
            owner = state.held.get(note)
            text = owner if owner is None or offset == WHOLE else state.held.get(Part("member", owner, offset))
            if owner is None or text is None:
                continue
            ends = [state.held.get(Part(which, text, 1)) for which in (OLDEST, NEWEST)]
            known = [end for end in ends if end is not None]
            if not known:
                continue
            if offset == WHOLE and min(state.interval(end)[1] for end in known) > SHORT:
                for kind in state.blocks.get(owner) or ():
                    self.promises.break_("short", kind)
            del state.held[note]
            self._promise_again(state)

    def _promise_again(self, state: State) -> None:
        """Blocks that were read from memory keep the promises: what is not known of them any more is promised."""
        for key, symbol in list(state.held.items()):
            if not isinstance(key, Part) or Part(OLDEST, symbol, 1) in state.held:
                continue
            if key.kind == "member":
                size = state.interval(state.held[Part("room", symbol, 1)])[0]
                self._promise_member(state, key.symbol, symbol, key.scale, size)
            elif key.kind == "stored" and state.held.get(Part("block", symbol, 1)) == symbol:
                self._promise_whole(state, symbol)

    def _promise_whole(self, state: State, block: int) -> None:
        """The terminator of a text that is a block by itself."""
        kinds, room = state.blocks.get(block), state.held.get(Part("room", block, 1))
        if not kinds or room is None or not kinds <= self.promises.texts or any(k in self.byte_arrays for k in kinds):
            return
        if all(self.promises.holds("ended", kind) for kind in kinds) and not self.is_open(block, WHOLE, state):
            short = all(self.promises.holds("short", kind) for kind in kinds)
            end = state.held[Part(OLDEST, block, 1)] = state.fresh(0, SHORT if short else self.most_bytes)
            state.zone.add(end, room, -1)

    def break_open(self, state: State, kept: State | None = None) -> None:
        """The promises do not hold for texts that are open, but for those that are open in a state that is kept."""
        for offset, note in self._notes.items():
            if note not in state.held or (kept is not None and note in kept.held):
                continue
            kinds = state.blocks.get(state.held.pop(note))
            if kinds is None:
                self.promises.everything = True
            for kind in kinds or ():
                self.promises.break_("ended", kind if offset == WHOLE else (kind, offset))

    def share_open(self, known: State, after: State, location: str) -> bool:
        """Where two states meet, a text that is open in one of them is in both; whether the known one has more then.

        A variable that leads to the text in one state says which one it is in the other. Of several, it is the one by
        which an array at this offset is used next: this one may get a terminator.
        """
        grew = False
        for offset, note in self._notes.items() if self.promises.kinds else ():
            for one, two in ((known, after), (after, known)):
                owner = one.held.get(note)
                if owner is None or note in two.held:
                    continue
                twins = self._twins(self._same_owners(owner, offset, one), one, two)
                if twins:
                    name = self._used_next(location, offset, twins) if len(twins) > 1 else next(iter(twins))
                    two.held[note] = twins[name]
                    grew |= two is known
        return grew

    @staticmethod
    def _twins(owners: set[int], one: State, two: State) -> dict[Variable, int]:
        """What the variables that lead to a block in one state lead to in the other: itself, or a member."""
        twins = {}
        for variable in [v for v in one.held if isinstance(v, Variable) and v in two.held]:
            first, second = one.held[variable], two.held[variable]
            cells = [k for k, s in one.held.items() if isinstance(k, Cell) and k.symbol == first and s in owners]
            pairs = [second] if first in owners else [two.held.get(cell.of(second)) for cell in cells]
            symbols = [symbol for symbol in pairs if symbol in two.blocks]
            if symbols:
                twins[variable] = symbols[0]
        return twins

    def _used_next(self, location: str, offset: int, names: Collection[Variable]) -> Variable:
        """The variable by which an array at an offset is used next, on some shortest way from here."""
        seen, waiting = {location}, [location]
        for here in waiting:
            for edge in self.cfa.leaving(here):
                for node in (n for x in expressions(edge.label) for n in walk(x)):
                    used = _array_of_pointer(node) if isinstance(node.type, ArrayType) else None
                    if used is not None and used[1] == offset and used[0] in names:
                        return used[0]
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return min(names, key=lambda v: v.name)

    def settle_open_texts(self, known: State, after: State, joint: State) -> None:
        """Where two states meet, promises are broken for texts that are open in one of them only."""
        for state in (known, after) if self.promises.kinds else ():
            if joint is not state:
                self.break_open(state.copy(), kept=joint)


def _array_of_pointer(lvalue: Expression) -> tuple[Variable, int] | None:
    """The variable and the offset, if an lvalue is a member of the struct to which a variable points."""
    offset = 0
    while isinstance(lvalue, Field):
        offset, lvalue = offset + lvalue.offset, lvalue.base
    pointer = without_casts(lvalue.pointer) if isinstance(lvalue, Deref) else None
    return (pointer, offset) if isinstance(pointer, Variable) else None
