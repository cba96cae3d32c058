"""A key for states, equal for states that differ only in the names of blocks and inputs.

A traversal from the variables numbers blocks and inputs in order. Values that can never be read are dropped first.
States with equal keys have the same future.
"""

from __future__ import annotations

from typing import Any

from kleene.cfa.expressions import variables
from kleene.domains.explicit.interpreter import lost_blocks
from kleene.domains.explicit.liveness import Liveness
from kleene.domains.explicit.machine import Machine
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Linear, Pointer


class Canonical:
    """Computes keys for the states of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.liveness = Liveness(machine.program)
        self._shared: dict[Any, Any] = {}

    def forget(self, state: State) -> None:
        """Drop the variables that cannot be read again."""
        for depth, frame in enumerate(state.frames):
            dead = self.liveness.forgettable(frame.function, frame.location)
            if depth + 1 < len(state.frames):
                result = state.frames[depth + 1].result
                if result is not None:
                    dead -= {v.name for v in variables(result)}
            for name in [n for n in frame.locals if n in dead]:
                state.blocks.pop(frame.locals.pop(name), None)

    def leaks(self, state: State) -> list[int]:
        return lost_blocks(self.machine, state, self.liveness.dead_temporaries)

    def key(self, state: State) -> tuple[Any, list[Block]]:
        """The key, and the heap blocks that were lost; the state forgets them and all that cannot matter any more."""
        self.forget(state)
        walk = _Walk(self.machine, state, self._shared)
        key = walk.run()
        lost = [b for n, b in state.blocks.items() if b.kind == "heap" and b.alive and n not in walk.numbers]
        state.blocks = {n: b for n, b in state.blocks.items() if n in walk.numbers or n in self.machine.fixed_blocks}
        state.store = state.store.keep(set(walk.symbols))
        return key, lost


class _Walk:
    """One traversal of a state."""

    def __init__(self, machine: Machine, state: State, shared: dict[Any, Any]) -> None:
        self.shared = shared
        self.state = state
        self.fixed = machine.fixed_blocks
        self.numbers: dict[int, int] = {}
        self.order: list[int] = []
        self.symbols: dict[int, int] = {}

    def run(self) -> Any:
        state = self.state
        fixed = [n for n, block in self.fixed.items() if state.blocks[n] is not block]
        for number in fixed:
            self._meet(number)
        frames = []
        for frame in state.frames:
            names = sorted(frame.locals)
            for name in names:
                self._meet(frame.locals[name])
            for number in frame.stack_blocks:
                self._meet(number)
            frames.append((frame.function, frame.location, frame.result, tuple(names), len(frame.stack_blocks)))
        contents = []
        position = 0
        while position < len(self.order):
            contents.append(self._content(state.blocks[self.order[position]]))
            position += 1
        return (tuple(frames), tuple(fixed), tuple(contents), self._reuse(), self._constraints(), bool(state.tainted))

    def _meet(self, number: int) -> int:
        if number not in self.numbers:
            self.numbers[number] = len(self.order)
            self.order.append(number)
        return self.numbers[number]

    def _content(self, block: Block) -> Any:
        if not block.alive:
            return (block.kind, "gone")
        cells = [(bit, width, self._value(value)) for bit, (width, value) in sorted(block.cells.items(), key=_first)]
        content = (block.kind, block.size, block.zeroed, tuple(cells))
        return self.shared.setdefault(content, content)

    def _value(self, value: Any) -> Any:
        if type(value) is Pointer:
            if value.block in self.fixed and self.state.blocks[value.block] is self.fixed[value.block]:
                return ("fixed", value.block, value.offset)
            return ("to", self._meet(value.block), value.offset)
        if type(value) is Linear:
            return ("input", self.symbols.setdefault(value.symbol, len(self.symbols)), value.offset)
        return value

    def _reuse(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For each freed block, the blocks that may have its address now."""
        blocks = self.state.blocks
        reused = []
        for number in self.order:
            gone = blocks[number]
            if not gone.alive:
                later = [
                    self.numbers[n] for n in self.order if blocks[n].kind == gone.kind and blocks[n].birth > gone.death
                ]
                reused.append((self.numbers[number], tuple(later)))
        return tuple(reused)

    def _constraints(self) -> Any:
        store = self.state.store
        intervals = tuple(store.intervals[s] for s in self.symbols)
        pairs = sorted(
            (self.symbols[a], self.symbols[b], c)
            for (a, b), c in store.pairs.items()
            if a in self.symbols and b in self.symbols and c < store.intervals[a][1] - store.intervals[b][0]
        )
        holes = tuple((number, tuple(sorted(store.holes[s]))) for s, number in self.symbols.items() if s in store.holes)
        return (intervals, tuple(pairs), holes)


def _first(item: tuple[int, Any]) -> int:
    return item[0]
