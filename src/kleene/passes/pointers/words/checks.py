"""The assumptions of words as pointers and flags, checked on the memory of the rewritten program.

All that the pointer of a word may point to begins at an address whose low bits are free. No pointer in memory that
belongs to a word is read as a pointer alone: its flags would be lost. (Integers that are written there make both parts
unknown, and what is read there as an integer is unknown.)
"""

from __future__ import annotations

from kleene.cfa.expressions import Deref, Expression, Field, Index, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, PointerType, RecordType, Type
from kleene.passes.facts.memory import MAX_PLACES, Memory, Place, Unmodelled
from kleene.passes.pointers.words.types import mask_of


def are_words_kept(program: CProgram) -> bool:
    """Whether the flags of words are really free, and never lost."""
    memory = Memory(program, program.main.cfa, typed=True)
    lvalues = [
        node
        for edge in memory.cfa.edges
        for expression in expressions(edge.label)
        for node in walk(expression)
        if isinstance(node, Field | Deref | Index) and isinstance(node.type, PointerType)
    ]
    masks = {mask for v in memory.pointers if (mask := mask_of(v.type)) is not None}
    masks |= {mask for node in lvalues if (mask := mask_of(node.type)) is not None}
    mask = max(masks, default=0)
    if mask == 0:
        return True
    words = {place for node in lvalues if mask_of(node.type) is not None for place in _places(memory, node)}
    words |= {(memory.size_of(v), 0) for v in memory.objects if mask_of(v.type) is not None}
    alone = {place for node in lvalues if mask_of(node.type) is None for place in _places(memory, node)}
    if words & alone:
        return False
    pointed = [memory.pointer_places[v] for v in memory.pointers if mask_of(v.type) is not None]
    pointed += [memory.cell_places([place]) for place in words]
    return all(len(p) <= MAX_PLACES and all(_is_free(memory, place, mask) for place in p) for p in pointed)


def _places(memory: Memory, lvalue: Expression) -> set[Place]:
    try:
        return memory.address_places(lvalue)
    except Unmodelled:  # the analysis does not follow it either
        return set()


def _is_free(memory: Memory, place: Place, mask: int) -> bool:
    """Whether the addresses of a place have zeros in the bits of a mask."""
    size, offset = place
    variables = [v for v in memory.objects if memory.size_of(v) == size]
    return not offset & mask and all(_alignment(v.type, memory.program) > mask for v in variables)


def _alignment(type_: Type, program: CProgram) -> int:
    if isinstance(type_, RecordType):
        layout = program.records.get(type_.name)
        return 1 if layout is None else layout.alignment
    return _alignment(type_.element, program) if isinstance(type_, ArrayType) else type_.size
