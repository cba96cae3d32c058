"""A state of an execution: the stack of frames and the blocks of memory; copied on write."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from kleene.cfa.expressions import Expression
from kleene.cfa.operations import Call, Place
from kleene.domains.explicit.constraints import EMPTY, Store
from kleene.domains.explicit.memory import CONSTANT, Block
from kleene.domains.explicit.values import Constraint, Linear, NotModelled, Pointer, Value


class Frame:
    """One activation of a function: where it is, its variables' blocks, and the call that it came from."""

    __slots__ = ("call", "function", "locals", "location", "stack_blocks")

    def __init__(self, function: str, location: str, call: Call | None = None) -> None:
        self.function = function
        self.location = location
        self.call = call
        self.locals: dict[str, int] = {}
        self.stack_blocks: tuple[int, ...] = ()

    @property
    def result(self) -> Expression | None:
        """The lvalue that receives the result."""
        return self.call.result if self.call is not None else None

    def copy(self) -> Frame:
        twin = Frame(self.function, self.location, self.call)
        twin.locals = dict(self.locals)
        twin.stack_blocks = self.stack_blocks
        return twin


class History:
    """The history of a state: a list that grows at its end and shares its beginning.

    An entry is an input (the symbol that stands for it, or the value chosen) or a list of constraints.
    """

    __slots__ = ("entry", "parent")

    def __init__(self, parent: History | None, entry: tuple[str, Any]) -> None:
        self.parent = parent
        self.entry = entry

    def entries(self) -> list[tuple[str, Any]]:
        newest_first = []
        node: History | None = self
        while node is not None:
            newest_first.append(node.entry)
            node = node.parent
        return newest_first[::-1]


class State:
    """The mutable state that a machine steps. `locals` are those of the frame on top."""

    __slots__ = (
        "age",
        "blocks",
        "clock",
        "frames",
        "history",
        "locals",
        "next_block",
        "next_symbol",
        "output",
        "pending",
        "source",
        "store",
        "tainted",
        "token",
        "turns",
    )

    def __init__(self, source: InputSource) -> None:
        self.token = object()
        self.blocks: dict[int, Block] = {}
        self.frames: list[Frame] = []
        self.locals: dict[str, int] = {}
        self.next_block = 1
        self.clock = 0
        self.source = source
        self.store: Store = EMPTY
        self.next_symbol = 1
        self.pending: dict[Any, Value] = {}
        self.history: History | None = None
        self.tainted = ""
        self.output: list[str] | None = None
        self.age = 0
        self.turns = 0
        """How often other states were followed before it went on."""

    def clone(self) -> State:
        """An independent copy; blocks are shared until one of the two writes."""
        twin = State(self.source)
        self.token = object()
        twin.blocks = dict(self.blocks)
        twin.frames = [frame.copy() for frame in self.frames]
        twin.locals = twin.frames[-1].locals if twin.frames else {}
        twin.next_block = self.next_block
        twin.clock = self.clock
        twin.store = self.store
        twin.next_symbol = self.next_symbol
        twin.pending = dict(self.pending)
        twin.history = self.history
        twin.tainted = self.tainted
        twin.age = self.age
        twin.turns = self.turns
        return twin

    def new_block(self, kind: str, size: int, label: str, place: Place | None = None) -> int:
        number = self.next_block
        self.next_block += 1
        block = Block(kind, size, label, self.token, place)
        self.clock += 1
        block.birth = self.clock
        self.blocks[number] = block
        return number

    def writable(self, number: int) -> Block:
        """The block, owned by this state."""
        block = self.blocks[number]
        if block.owner is not self.token:
            block = block.copy(self.token)
            self.blocks[number] = block
        return block

    def assignable(self, number: int) -> Block:
        """The block, for an assignment of the program."""
        block = self.writable(number)
        if block.kind in CONSTANT:
            raise NotModelled("writing to a string literal" if block.kind == "string" else f"writing to {block.label}")
        return block

    def kill(self, number: int) -> None:
        """End the life of a block."""
        block = self.writable(number)
        block.alive = False
        self.clock += 1
        block.death = self.clock
        block.cells = {}
        block.zeroed = False

    def push(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.locals = frame.locals

    def pop(self) -> Frame:
        """Leave the function on top; its variables die."""
        frame = self.frames.pop()
        for number in (*frame.locals.values(), *frame.stack_blocks):
            if number in self.blocks:
                self.kill(number)
        self.locals = self.frames[-1].locals if self.frames else {}
        return frame

    def call_from(self, place: Place, library: frozenset[str]) -> Place:
        """The place of the program's own call, for a place in the files of our library functions."""
        for frame in reversed(self.frames):
            if place.file not in library or frame.call is None:
                break
            place = frame.call.place
        return place

    def draw(self, low: int, high: int, why: str, key: Any = None) -> Value:
        """An input between low and high; within one operation, the same key gives the same input."""
        if key is not None and key in self.pending:
            return self.pending[key]
        value = self.source.draw(self, low, high, why)
        if key is not None:
            self.pending[key] = value
        return value

    def derive(self, low: int, high: int, key: Any) -> Value:
        """An unknown number that is not an input: the result of an operation that constraints cannot express."""
        if key not in self.pending:
            symbol = self.new_symbol(low, high)
            self.pending[key] = Linear(symbol, 0)
            self.history = History(self.history, ("derived", (symbol, low, high)))
        return self.pending[key]

    def new_symbol(self, low: int, high: int) -> int:
        symbol = self.next_symbol
        self.next_symbol += 1
        self.store = self.store.with_symbol(symbol, low, high)
        return symbol

    def assume(self, constraints: list[Constraint]) -> bool:
        """Restrict the inputs; false if no input remains possible."""
        store = self.store.restrict(constraints)
        if store is None:
            return False
        self.store = store
        self.history = History(self.history, ("assume", constraints))
        return True

    def reachable(self, roots: list[int], ignored: Set[tuple[int, int]] = frozenset()) -> set[int]:
        """The blocks that pointers lead to from the roots, with the roots.

        Pointers in blocks of some size, at an offset in them, are left out if `ignored` has the two numbers.
        """
        skipped = {(int(size), offset * 8) for size, offset in ignored}
        blocks = self.blocks
        seen = set(roots)
        stack = list(roots)
        while stack:
            block = blocks.get(stack.pop())
            if block is None:
                continue
            for start, (_, value) in block.cells.items():
                if type(value) is Pointer and value.block not in seen and (block.size, start) not in skipped:
                    seen.add(value.block)
                    stack.append(value.block)
        return seen


class InputSource:
    """A source of inputs. `chooses_garbage`: unwritten pointers are inputs, too."""

    chooses_garbage = False
    whole_arguments = False
    """Whether the texts of `argv` may be long: not where their characters are unknown."""
    floating = True
    """Whether some floating-point numbers stand for all: not where it is decided that a path has no input at all."""
    bounded = ""
    """The part that was tried only within bounds, so that no proof relies on it."""
    enumerated = 64
    """Numbers up to this many are all tried where one must be explicit: an index, a size."""

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        raise NotImplementedError


class GivenInputs(InputSource):
    """Inputs from a sequence, fitted to their type; zeros when it ends. Records the used inputs and their purposes."""

    whole_arguments = True

    def __init__(self, values: Any, *, chooses_garbage: bool = False) -> None:
        self._values = iter(values)
        self.chooses_garbage = chooses_garbage
        self.used: list[tuple[int, str]] = []

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        value = next(self._values, 0)
        if (low, high) == (0, 1):
            value = int(value != 0)
        elif not low <= value <= high:
            value = (value - low) % (high - low + 1) + low
        self.used.append((value, why))
        return int(value)


class UnknownInputs(InputSource):
    """Every input is a new symbol."""

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        if low == high:
            state.history = History(state.history, ("value", (low, why)))
            return low
        symbol = state.new_symbol(low, high)
        state.history = History(state.history, ("input", (symbol, low, high, why)))
        return Linear(symbol, 0)
