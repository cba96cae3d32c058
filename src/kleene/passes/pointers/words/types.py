"""The types of the two parts of a word: both are unlike those of any program, so they mark what was rewritten."""

from __future__ import annotations

from kleene.cfa.expressions import Variable
from kleene.cfa.types import IntegerType, PointerType, RecordType, Type

LARGEST_MASK = 7
"""Bits of flags at most: blocks of malloc begin at multiples of 8 bytes (C17, 7.22.3)."""
_WORD = "$word "
TAG_SUFFIX = "$tag"
"""How the name of the flags of a word ends."""
_BITS_OF_A_BYTE = 8


def word_type(mask: int, size: int) -> PointerType:
    """The type of the pointer in a word whose flags have the bits of a mask."""
    return PointerType(RecordType(f"{_WORD}{mask}", complete=False), size)


def mask_of(type_: Type) -> int | None:
    """The mask of the flags beside a pointer of this type; None if it is no part of a word."""
    target = type_.target if isinstance(type_, PointerType) else None
    if isinstance(target, RecordType) and target.name.startswith(_WORD):
        return int(target.name.removeprefix(_WORD))
    return None


def tag_type(mask: int) -> IntegerType:
    """The type of flags: of less than a byte, so that they take no room beside the pointer."""
    return IntegerType(mask.bit_length(), signed=False, name="flags")


def is_tag(type_: Type) -> bool:
    return isinstance(type_, IntegerType) and type_.bits < _BITS_OF_A_BYTE


def word_name(variable: Variable) -> str:
    """The word that a variable of flags belongs to, or the variable itself."""
    return variable.name.removesuffix(TAG_SUFFIX) if is_tag(variable.type) else variable.name
