"""Claims about counters in a state of a run: those that the analysis makes must be true, but it need not make them.

So a claim is false in the sketch of a state if the numbers of the state contradict it, and open otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kleene.cfa.expressions import Deref, Expression, Variable, member_base
from kleene.coverage.views import Exchange, load_value, pointer_at
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.values import Pointer, Value
from kleene.passes.facts.counters import MemberCount, VariableCount
from kleene.passes.facts.memory import Memory
from kleene.semantics.steps.counts import CountSteps
from kleene.semantics.vocabulary.counts import Claims

Blocks = dict[int, Block]
Read = Callable[[Variable], Value | None]
"""The value of a variable; None if the analysis does not keep it here, or if it is not known."""


def wrong_in_block(counts: CountSteps, blocks: Blocks, number: int, size: int, exchange: Exchange) -> Iterator[str]:
    """The claims about members of a block of some size that are not true."""
    for claims in counts.claims:
        count = claims.count
        if isinstance(count, MemberCount) and count.counter[0] == size:
            block, memory = blocks[number], counts.memory
            head = pointer_at(memory, block, (size, count.head[1]), exchange)
            counter = load_value(block, count.counter[1], claims.type.size)
            yield from _wrong(claims, _length(claims, head, blocks, memory, exchange), _number(claims, counter))


def wrong_of_variables(counts: CountSteps, blocks: Blocks, read: Read, exchange: Exchange) -> Iterator[str]:
    """The claims about variables that are not true, as far as their values are known."""
    width = counts.memory.program.pointer_size
    for claims in counts.claims:
        count = claims.count
        if not isinstance(count, VariableCount):
            continue
        head = _value(count.head, width, blocks, read, exchange)
        counter = _value(count.counter, claims.type.size, blocks, read, exchange)
        less = 0 if count.less is None else read(count.less)
        if head is None or not isinstance(counter, int) or not isinstance(less, int):
            continue
        if count.less is not None:
            less = count.less.type.wrap(less)  # type: ignore[union-attr]
        length = _length(claims, head, blocks, counts.memory, exchange)
        yield from _wrong(claims, length, claims.type.wrap(counter) - less)


def _value(lvalue: Expression, size: int, blocks: Blocks, read: Read, exchange: Exchange) -> Value | None:
    """The value of a variable, or of a member of what a variable points to."""
    if isinstance(lvalue, Variable):
        return read(lvalue)
    base, offset = member_base(lvalue)
    assert isinstance(base, Deref) and isinstance(base.pointer, Variable)
    pointer = read(base.pointer)
    if not isinstance(pointer, Pointer) or pointer.block not in blocks or not blocks[pointer.block].alive:
        return None
    return exchange.of(load_value(blocks[pointer.block], pointer.offset + offset, size), lvalue.type)


def _number(claims: Claims, value: Value | None) -> int | None:
    return claims.type.wrap(value) if isinstance(value, int) else None


def _length(claims: Claims, head: Value | None, blocks: Blocks, memory: Memory, exchange: Exchange) -> int | None:
    """The number of nodes of a list that ends in NULL."""
    length, seen = 0, set[int]()
    while isinstance(head, Pointer):
        block = blocks.get(head.block)
        if block is None or not block.alive or head.offset or head.block in seen:
            return None
        seen.add(head.block)
        length, head = length + 1, pointer_at(memory, block, claims.count.following, exchange)
    return length if head == 0 else None


def _wrong(claims: Claims, length: int | None, number: int | None) -> Iterator[str]:
    for k, name in claims.names.items():
        if length is None or number is None or claims.value(length + k) != number:
            yield name
