"""Concrete memories of a few cells and what C statements do to them: plain dictionaries, none of the domain's code.

A memory has plain variables, objects on the stack and blocks in the heap; all of them are made of places, which hold
pointers or small numbers. `World.heaps` lists all memories of a vocabulary up to the names of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Literal

Object = int | str
"""A block by its number, or a variable by its name."""
Place = tuple[Object, int]
Value = None | int | str | Place
"""NULL, a number, UNSET or MOVED, or where a pointer points."""
Kind = Literal["cell", "link", "number"]
"""A pointer to a struct, a pointer to a pointer in an object, a number."""
Forest = dict[int, Place | None]
"""The parent of each block: a place in another block that points to it, or None for a variable."""

UNSET = "unset"
MOVED = "moved"
"""NULL after arithmetic: neither NULL nor a pointer that may be used."""
LOST = "$lost"
BLOCK = 16
NUMBERS = (0, 1, 5)
ACCESS = ("null_dereference", "uninitialized_pointer", "dangling_dereference", "out_of_bounds")


class Wrong(Exception):
    """The statement is an error; the argument says of which kind."""


@dataclass
class Concrete:
    """A memory: the values of places, and the objects that exist. Where C leaves a choice, `pick` takes it."""

    values: dict[Place, Value]
    alive: set[Object]
    sizes: dict[str, int]
    lost: frozenset[int] = frozenset()
    """Blocks that were lost, or may have been, which the analysis still keeps."""
    script: tuple[int, ...] = ()
    asked: list[int] = field(default_factory=list)

    def copy(self, script: tuple[int, ...] = ()) -> Concrete:
        return Concrete(dict(self.values), set(self.alive), self.sizes, self.lost, script)

    def pick(self, *options: Value) -> Value:
        number = len(self.asked)
        self.asked.append(len(options))
        return options[self.script[number] if number < len(self.script) else 0]

    def size(self, thing: Object) -> int:
        return BLOCK if isinstance(thing, int) else self.sizes[thing]

    def __getitem__(self, name: str) -> Value:
        return self.values[name, 0]

    def __setitem__(self, name: str, value: Value) -> None:
        self.values[name, 0] = value

    def at(self, pointer: Value, offset: int = 0, size: int = 8) -> Place:
        """The place where a pointer points, moved by an offset, to access so many bytes."""
        if pointer is None or pointer == MOVED:
            raise Wrong("null_dereference")
        if pointer == UNSET:
            raise Wrong("uninitialized_pointer")
        assert isinstance(pointer, tuple)
        thing, start = pointer
        if thing not in self.alive:
            raise Wrong("dangling_dereference")
        if start + offset < 0 or start + offset + size > self.size(thing):
            raise Wrong("out_of_bounds")
        return thing, start + offset

    def load(self, pointer: Value, offset: int = 0, size: int = 8) -> Value:
        return self.values[self.at(pointer, offset, size)]

    def store(self, pointer: Value, offset: int, value: Value, size: int = 8) -> None:
        self.values[self.at(pointer, offset, size)] = value

    def copy_bytes(self, target: Place, source: Place, size: int = BLOCK) -> None:
        """Bytes of one object to another: places that lie in them are copied, pointers that lie there partly are lost.

        `target` and `source` are not the same object, or the same place.
        """
        if target == source:
            return
        moved = {(o - source[1] + target[1]): v for (thing, o), v in self.values.items() if thing == source[0]}
        for thing, offset in list(self.values):
            if thing == target[0] and target[1] - 8 < offset < target[1] + size:
                whole = target[1] <= offset <= target[1] + size - 8 or isinstance(self.values[thing, offset], int)
                self.values[thing, offset] = moved.get(offset, UNSET) if whole else UNSET

    def new(self, layout: dict[int, Kind], *, zeroed: bool) -> Place:
        number = max([0, *(t for t in self.mentioned() if isinstance(t, int))]) + 1
        self.alive.add(number)
        for offset, kind in layout.items():
            zero = 0 if kind == "number" else None
            self.values[number, offset] = zero if zeroed else self.pick(*NUMBERS) if kind == "number" else UNSET
        return number, 0

    def end(self, thing: Object) -> None:
        self.alive.discard(thing)
        for place in [p for p in self.values if p[0] == thing]:
            del self.values[place]

    def free(self, pointer: Value) -> None:
        if pointer is None:
            return
        if not isinstance(pointer, tuple) or not isinstance(pointer[0], int) or pointer[1]:
            raise Wrong("invalid_free")
        if pointer[0] not in self.alive:
            raise Wrong("double_free")
        self.end(pointer[0])

    def same(self, a: Value, b: Value) -> bool:
        """Equality of pointers; what is not initialised or exists no more may compare either way (assumptions.md)."""
        vague = {a, b} & {UNSET, MOVED}
        if not vague and a != b and isinstance(a, tuple) and isinstance(b, tuple):
            vague = {t for t, _ in (a, b) if t not in self.alive}
        return bool(self.pick(0, 1)) if vague else a == b

    # What there is --------------------------------------------------------------------------------------------

    def mentioned(self) -> set[Object]:
        """The objects that exist or that something points to."""
        return self.alive | {v[0] for v in self.values.values() if isinstance(v, tuple)} | self.lost

    def blocks(self) -> list[int]:
        return sorted(t for t in self.mentioned() if isinstance(t, int))

    def held(self, *, by_blocks: bool = True) -> set[int]:
        """The blocks that exist and are reached from variables or lost ones; or only those that variables point to."""
        reached = set(self.lost)
        stack: list[Object] = [*(self.lost if by_blocks else ()), *(t for t in self.alive if isinstance(t, str))]
        while stack:
            thing = stack.pop()
            for (source, _), value in self.values.items():
                if source == thing and isinstance(value, tuple) and value[0] in self.alive:
                    target = value[0]
                    if isinstance(target, int) and target not in reached:
                        reached.add(target)
                        if by_blocks:
                            stack.append(target)
        return reached

    def leaked(self) -> set[int]:
        return {t for t in self.alive if isinstance(t, int)} - self.held()

    def forests(self) -> Iterator[Forest]:
        """Every choice of a parent for each block that exists, without cycles."""
        roots = self.held(by_blocks=False)
        order = sorted(t for t in self.alive if isinstance(t, int))
        choices: list[list[Place | None]] = []
        for block in order:
            above: list[Place | None] = [None] if block in roots else []
            for place, value in sorted(self.values.items(), key=str):
                if isinstance(value, tuple) and value[0] == block and isinstance(place[0], int) and place[0] != block:
                    above.append(place)
            choices.append(above)
        for chosen in product(*choices):
            forest = dict(zip(order, chosen, strict=True))
            if all(_ends(forest, block) for block in order):
                yield forest


def _ends(forest: Forest, block: int) -> bool:
    seen = set()
    place: Place | None = (block, 0)
    while place is not None and isinstance(place[0], int):
        if place[0] in seen:
            return False
        seen.add(place[0])
        place = forest[place[0]]
    return True


@dataclass(frozen=True)
class World:
    """A vocabulary: plain variables, objects on the stack and the places in them, and the places in every block."""

    variables: dict[str, Kind]
    objects: dict[str, dict[int, Kind]]
    block: dict[int, Kind]
    ending: frozenset[str] = frozenset()
    """The objects that may not exist."""

    @property
    def sizes(self) -> dict[str, int]:
        plain = {name: 4 if kind == "number" else 8 for name, kind in self.variables.items()}
        return plain | {name: max(layout) + 8 for name, layout in self.objects.items()}

    def heaps(self, blocks: int, unset: int = 1, *, lost: int = 0) -> Iterator[Concrete]:
        """All memories with up to so many blocks, freed ones included, and places without a value.

        Blocks are numbered in the order in which a search from the variables finds them, so no two are isomorphic.
        Up to `lost` blocks are kept as lost ones; all others are reached from variables.
        """
        for count in range(len(self.ending) + 1):
            for ended in combinations(sorted(self.ending), count):
                living = self.objects.keys() - set(ended)
                waiting: list[tuple[Place, Kind]] = [((name, 0), kind) for name, kind in self.variables.items()]
                waiting += [((name, o), kind) for name in sorted(living) for o, kind in self.objects[name].items()]
                waiting += [((LOST, k), "cell") for k in range(lost)]
                yield from self._filled(waiting, 0, {}, (), blocks, unset, frozenset(living))

    def _filled(
        self,
        waiting: list[tuple[Place, Kind]],
        done: int,
        values: dict[Place, Value],
        found: tuple[bool, ...],
        blocks: int,
        unset: int,
        living: frozenset[str],
    ) -> Iterator[Concrete]:
        """`found` says of each block so far whether it exists."""
        if done == len(waiting):
            lost = frozenset(v[0] for (thing, _), v in values.items() if thing == LOST and isinstance(v, tuple))
            kept = {place: value for place, value in values.items() if place[0] != LOST}
            alive = {k for k, exists in enumerate(found, 1) if exists}
            yield Concrete(kept, alive | set(living) | set(self.variables), self.sizes, lost)  # type: ignore[arg-type]
            return
        place, kind = waiting[done]
        for value, new in self._choices(place, kind, len(found), blocks, unset, living):
            more = list(waiting)
            if new:
                more += [((len(found) + 1, offset), inner) for offset, inner in self.block.items()]
            now = found if new is None else (*found, new)
            left = unset - (value == UNSET)
            yield from self._filled(more, done + 1, values | {place: value}, now, blocks, left, living)

    def _choices(
        self, place: Place, kind: Kind, found: int, blocks: int, unset: int, living: frozenset[str]
    ) -> list[tuple[Value, bool | None]]:
        """The values that a place may have, and for a pointer to a block not seen yet, whether it exists."""
        if kind == "number":
            return [(number, None) for number in NUMBERS]
        result: list[tuple[Value, bool | None]] = [(None, None)]
        if place[0] == LOST:  # a block that is lost exists
            result += [((k, 0), None) for k in range(1, found + 1)]
            return result + ([((found + 1, 0), True)] if found < blocks else [])
        if unset:
            result.append((UNSET, None))
        if kind == "link":
            result.append((MOVED, None))
            offsets = [o for o, inner in self.block.items() if inner == "cell"]
            inside = {name: [o for o, k in layout.items() if k == "cell"] for name, layout in self.objects.items()}
        else:
            offsets = [0]
            inside = {name: [0] for name, layout in self.objects.items() if layout == self.block}
        result += [((name, o), None) for name, places in inside.items() for o in places]
        result += [((k, o), None) for k in range(1, found + 1) for o in offsets]
        if found < blocks:
            result += [((found + 1, o), exists) for o in offsets for exists in (True, False)]
        return result


Run = Callable[[Concrete], object]
"""What a statement does; a condition gives its truth."""


@dataclass(frozen=True)
class Outcome:
    """One way in which a statement may go: the memory afterwards, the truth of a condition, or the error."""

    after: Concrete
    truth: object = None
    wrong: str = ""


def outcomes(run: Run, heap: Concrete) -> list[Outcome]:
    """All ways, with every choice taken."""
    found: list[Outcome] = []
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        memory = heap.copy(script)
        try:
            found.append(Outcome(memory, run(memory)))
        except Wrong as wrong:
            found.append(Outcome(memory, wrong=str(wrong)))
        for number in range(len(script), len(memory.asked)):
            taken = (*script, *([0] * (number - len(script))))
            scripts += [(*taken, option) for option in range(1, memory.asked[number])]
    return found


def partitions(items: Sequence[int]) -> Iterator[dict[int, int]]:
    """All ways to put blocks into nodes 1, 2, ...; the first block is in node 1."""
    if not items:
        yield {}
        return
    *rest, last = items
    for smaller in partitions(rest):
        for number in range(1, max(smaller.values(), default=0) + 2):
            yield smaller | {last: number}
