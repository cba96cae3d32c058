"""Contracts in formulas on exact heaps: their evaluation, and all small heaps that satisfy `requires`.

A heap is a two-valued structure over the vocabulary of the contract. A separate variable keeps the heap at the entry of
a body, as pointers: to the blocks, and then the values of the fields of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NoReturn

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Specified
from kleene.cfa.program import CProgram
from kleene.cfa.types import FloatType, PointerType, RecordField, RecordType
from kleene.domains.explicit.arithmetic import decide
from kleene.domains.explicit.effects import unknown
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Pointer, Unknown, Value, Violation
from kleene.logic.earlier import NEW, old, same
from kleene.logic.formula import FALSE, Formula, conj
from kleene.logic.kleene import Kleene
from kleene.semantics.contracts.formulas import SNAPSHOT
from kleene.semantics.contracts.specifications import RESULT, Specification
from kleene.structures.evaluate import evaluate, rails
from kleene.structures.structure import Structure, StructureBuilder

MOST_BLOCKS = 3
"""Largest number of blocks in the heaps for bodies."""
MOST_HEAPS = 4000
"""Largest number of heaps for one contract, those with few blocks first."""


@dataclass(frozen=True)
class Model:
    """A heap: the type of each block, where pointers and fields point (the number of a block, or None for NULL)."""

    blocks: tuple[RecordType, ...]
    pointers: tuple[int | None, ...]
    fields: tuple[tuple[tuple[str, int | None], ...], ...]
    """For each block its fields that are pointers."""

    def structure(self, specification: Specification, names: Sequence[str]) -> Structure:
        """The heap over the vocabulary of the contract; predicates with a definition have their values."""
        words = specification.words
        builder = StructureBuilder(words.vocabulary, len(self.blocks))
        for name, target in zip(names, self.pointers, strict=True):
            if target is not None:
                builder.set(name, (target,), Kleene.TRUE)
        for block, fields in enumerate(self.fields):
            for name, target in fields:
                if target is not None:
                    builder.set(name, (block, target), Kleene.TRUE)
        return _complete(builder.build())


def _complete(structure: Structure) -> Structure:
    for p in structure.vocabulary.declared:
        if p.definition is not None:
            values = list(structure.values)
            place = 2 * structure.vocabulary.index(p.name)
            values[place : place + 2] = rails(structure, p.definition, p.args)
            structure = Structure(structure.vocabulary, structure.size, tuple(values))
    return structure


@dataclass
class SpecifiedOperation:
    """One `Specified` operation, to be executed."""

    program: CProgram
    operation: Specified

    @cached_property
    def specification(self) -> Specification:
        content = self.operation.content
        assert isinstance(content, Specification)
        return content

    @property
    def compiled(self) -> Callable[[State], None]:
        match self.operation.role:
            case "given":
                return self.give
            case "requires":
                return self.require
            case "ensures":
                return self.ensure
            case "fresh":
                return self.create
        return self.change

    def change(self, state: State) -> NoReturn:
        """A call in the analysed program: runs that are to be complete call the function itself (`formulas.py`)."""
        raise NotModelled("a call by a contract in formulas")

    # Heaps ------------------------------------------------------------------------------------------------------------

    def links(self, record: RecordType) -> list[RecordField]:
        return [f for f in self.program.records[record.name].fields if isinstance(f.type, PointerType)]

    @cached_property
    def models(self) -> list[Model]:
        """The heaps that satisfy `requires`, up to isomorphism, with few blocks first."""
        models = []
        names = self.specification.pointers
        wanted = conj(self.specification.requires, self.specification.reached)
        for number, model in enumerate(self._all()):
            if number >= MOST_HEAPS:
                break
            if evaluate(model.structure(self.specification, names), wanted) is Kleene.TRUE:
                models.append(model)
        return models

    def _all(self) -> Iterator[Model]:
        """All heaps without unreachable blocks; blocks are numbered in the order of a traversal."""
        types = [v.type.target for v in self._pointers if isinstance(v.type, PointerType)]
        roots = [t for t in types if isinstance(t, RecordType)]
        widest = max((len(self.links(record)) for record in self.operation.records), default=0)
        for size in range(min(MOST_BLOCKS, SNAPSHOT // (1 + widest)) + 1):
            for blocks in product(self.operation.records, repeat=size):
                yield from self._of(blocks, roots)

    def _of(self, blocks: tuple[RecordType, ...], roots: list[RecordType]) -> Iterator[Model]:
        targets = [f.type.target for b in blocks for f in self.links(b) if isinstance(f.type, PointerType)]
        ways = [[None, *(i for i, b in enumerate(blocks) if b == slot)] for slot in (*roots, *targets)]
        for chosen in product(*ways):
            rest = iter(chosen[len(roots) :])
            fields = tuple(tuple((f.name, next(rest)) for f in self.links(block)) for block in blocks)
            model = Model(blocks, tuple(chosen[: len(roots)]), fields)
            if _met_in_order(model):
                yield model

    @property
    def _pointers(self) -> tuple[Variable, ...]:
        """The variables of the pointers that are given."""
        return self.operation.targets[: len(self.specification.pointers)]

    def give(self, state: State) -> None:
        """One of the heaps; that there are larger ones is not forgotten."""
        chosen = state.draw(0, len(self.models), "a heap that is required", ("given",))
        assert isinstance(chosen, int | Unknown)
        number = next((i for i in range(len(self.models)) if decide(state, "==", chosen, i)), None)
        if number is None:
            raise NotModelled("larger heaps than those that were looked at")
        model = self.models[number]
        members = [self.program.records[record.name].fields for record in model.blocks]
        if any(isinstance(f.type, FloatType) for own in members for f in own):
            raise NotModelled("a floating-point member")
        place = self.operation.place
        made = [state.new_block("heap", r.size, "block that is given", place) for r in model.blocks]

        def pointer(target: int | None) -> Value:
            return 0 if target is None else Pointer(made[target], 0)

        for number, own in enumerate(members):
            targets = dict(model.fields[number])
            for f in own:
                linked = f.name in targets
                value = pointer(targets[f.name]) if linked else unknown(state, f.type, f"{f.name} of a block")
                state.blocks[made[number]].store(f.offset * 8 + f.bit_offset, f.bit_width or f.type.size * 8, value)
        for variable, target in zip(self._pointers, model.pointers, strict=True):
            self._variable(state, variable).store(0, variable.type.size * 8, pointer(target))
        for variable in self.operation.targets[len(model.pointers) :]:
            kept = [n for number, own in enumerate(model.fields) for n in (number, *(t for _, t in own))]
            for slot, target in enumerate(kept):
                self._variable(state, variable).store(slot * self._width, self._width, pointer(target))

    @property
    def _width(self) -> int:
        return self.program.pointer_size * 8

    def _variable(self, state: State, variable: Variable) -> Block:
        return state.assignable(state.locals[variable.name])

    # Checks -----------------------------------------------------------------------------------------------------------

    def require(self, state: State) -> None:
        """Check `requires` on the heap that the arguments reach."""
        s = self.specification
        broken = Violation("assertion", "a block is freed or no heap block, or a pointer is not initialized")
        values = [self._value(state, variable) for variable in self.operation.arguments]
        blocks = self._reachable_blocks(state, values, broken)
        _check(self._model(state, blocks, values).structure(s, s.pointers), s.required)

    def ensure(self, state: State) -> None:
        """Check `ensures` on the heap at the return."""
        s = self.specification
        broken = Violation("assertion", "a block is freed or no heap block, or a pointer is not initialized")
        names = [*s.pointers, *([RESULT] if s.returns else [])]
        values = [self._value(state, v) for v in self.operation.arguments[: len(names)]]
        before, pointed = self._before(state, values[: len(s.pointers)])
        live = [n for n, b in state.blocks.items() if b.kind == "heap" and b.alive]
        there = [v if _is_live(state, v) else 0 for v in values[: len(s.pointers)]]  # arguments may be freed
        blocks = self._reachable_blocks(state, [*values[len(s.pointers) :], *(Pointer(n, 0) for n in live)], broken)
        now = self._model(state, blocks, [*there, *values[len(s.pointers) :]]).structure(s, names)
        self._relate(before, pointed, blocks, now)

    def create(self, state: State) -> None:
        """Check that a changed block was created by the function."""
        value = self._value(state, self.operation.arguments[0])
        if len(self.operation.arguments) > 1 and _block(value) in self._fields_of(state, self.operation.arguments[1]):
            raise Violation("assertion", f"modifies {', '.join(sorted(self.specification.modifies)) or 'nothing'}")

    def _relate(self, before: dict[int, dict[str, int]], pointed: list[int], blocks: list[int], now: Structure) -> None:
        """The heaps before and after are such as the contract allows."""
        s = self.specification
        given = list(before)
        fields = tuple(
            tuple((f, given.index(t) if t in given else None) for f, t in before[block].items()) for block in given
        )
        pointers = [given.index(t) if t in given else None for t in pointed]
        names = list(s.pointers)
        then = Model(self.operation.records[:1] * len(given), tuple(pointers), fields).structure(s, names)
        frees = rails(then, s.frees, ("v",))[0] if s.frees is not FALSE else 0
        if any(block not in blocks and not frees >> number & 1 for number, block in enumerate(given)):
            raise Violation("assertion", "a block is freed that 'frees' does not describe")
        if not s.allocates and any(block not in given for block in blocks):
            raise Violation("assertion", "there is a new block, and no 'allocates'")
        kept = [f for f in s.words.fields if f not in s.modifies]
        same_fields = {(b, f) for b in blocks for f in s.words.fields if self._is_same(now, blocks, b, f, before)}
        if any((b, f) not in same_fields for b in blocks if b in before for f in kept if f in before[b]):
            raise Violation("assertion", "a field has changed that 'modifies' does not list")
        _check(self._both(then, given, now, blocks, same_fields), s.ensured)

    def _is_same(
        self, now: Structure, blocks: list[int], block: int, name: str, before: dict[int, dict[str, int]]
    ) -> bool:
        """Whether a field points to the same block as before, and the block is not freed."""
        here = blocks.index(block)
        targets = [blocks[u] for u in range(now.size) if now.value(name, here, u) is Kleene.TRUE]
        was = before.get(block, {}).get(name, 0)
        return targets == ([was] if was else [])

    def _both(
        self, then: Structure, given: list[int], now: Structure, blocks: list[int], same_fields: set[tuple[int, str]]
    ) -> Structure:
        """The heap after, with the values before."""
        words = self.specification.words
        builder = StructureBuilder(words.two_moments, now.size)
        was = {u: given.index(block) for u, block in enumerate(blocks) if block in given}
        for p in words.vocabulary.declared:
            for nodes in product(range(now.size), repeat=p.arity):
                builder.set(p.name, nodes, now.value(p.name, *nodes))
                if all(u in was for u in nodes):
                    builder.set(old(p.name), nodes, then.value(p.name, *(was[u] for u in nodes)))
        for u, block in enumerate(blocks):
            builder.set(NEW, (u,), Kleene.FALSE if u in was else Kleene.TRUE)
            for f in words.fields:
                builder.set(same(f), (u,), Kleene.TRUE if (block, f) in same_fields else Kleene.FALSE)
        return builder.build()

    # Memory -----------------------------------------------------------------------------------------------------------

    def _value(self, state: State, variable: Variable) -> Value:
        return state.blocks[state.locals[variable.name]].load(0, variable.type.size * 8)

    def _record(self, block: Block) -> RecordType:
        """The type of a block: the only one of its size."""
        fitting = [r for r in self.operation.records if r.size == block.size]
        if len(fitting) != 1:
            raise NotModelled("a block whose type is not known, in a contract")
        return fitting[0]

    def _field(self, block: Block, member: RecordField) -> Value:
        return block.load(member.offset * 8, self._width)

    def _reachable_blocks(self, state: State, values: Sequence[Value], broken: Violation) -> list[int]:
        """The blocks that pointers reach; all have to live, with members that are initialized."""
        waiting, blocks = list(values), []
        while waiting:
            value = waiting.pop(0)
            if value == 0 or (isinstance(value, Pointer) and value.block in blocks and value.offset == 0):
                continue
            if not _is_live(state, value):
                raise broken
            assert isinstance(value, Pointer)
            blocks.append(value.block)
            block = state.blocks[value.block]
            waiting += [self._field(block, member) for member in self.links(self._record(block))]
        return blocks

    def _model(self, state: State, numbers: list[int], values: Sequence[Value]) -> Model:
        def number(value: Value) -> int | None:
            return numbers.index(value.block) if isinstance(value, Pointer) else None

        blocks = [state.blocks[n] for n in numbers]
        fields = tuple(tuple((f.name, number(self._field(b, f))) for f in self.links(self._record(b))) for b in blocks)
        return Model(tuple(map(self._record, blocks)), tuple(map(number, values)), fields)

    def _before(self, state: State, pointers: Sequence[Value]) -> tuple[dict[int, dict[str, int]], list[int]]:
        """The blocks that were given, with the blocks to which their fields pointed (0 for NULL); and the pointers."""
        names = len(self.specification.pointers) + self.specification.returns
        if not pointers:
            return {}, []
        if len(self.operation.arguments) <= names:  # bodies for the abstract analyses, which guess from runs, too
            raise NotModelled("the heap at the entry of a body that does not keep it")
        return self._fields_of(state, self.operation.arguments[names]), [_block(value) for value in pointers]

    def _fields_of(self, state: State, variable: Variable) -> dict[int, dict[str, int]]:
        kept = state.blocks[state.locals[variable.name]]
        fields: dict[int, dict[str, int]] = {}
        slot = 0
        while isinstance(value := kept.load(slot * self._width, self._width), Pointer):
            links = self.links(self._record(state.blocks[value.block]))
            targets = [kept.load((slot + 1 + k) * self._width, self._width) for k in range(len(links))]
            fields[value.block] = {f.name: _block(t) for f, t in zip(links, targets, strict=True)}
            slot += 1 + len(links)
        return fields


def _check(structure: Structure, parts: Sequence[tuple[str, Formula]]) -> None:
    """All conjuncts of a clause hold."""
    for text, formula in parts:
        if evaluate(structure, formula) is not Kleene.TRUE:
            raise Violation("assertion", text)


def _block(value: Value) -> int:
    return value.block if isinstance(value, Pointer) else 0


def _is_live(state: State, value: Value) -> bool:
    """Whether a pointer is the beginning of a heap block that lives."""
    if not isinstance(value, Pointer) or value.offset != 0:
        return False
    block = state.blocks.get(value.block)
    return block is not None and block.kind == "heap" and block.alive


def _met_in_order(model: Model) -> bool:
    """Whether the blocks are met in the order of their numbers, and all of them are."""
    met: list[int] = []
    waiting = list(model.pointers)
    while waiting:
        target = waiting.pop(0)
        if target is not None and target not in met:
            met.append(target)
            waiting += [t for _, t in model.fields[target]]
    return met == list(range(len(model.blocks)))
