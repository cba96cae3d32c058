"""Numbers that are sizes, as the names of parameters say: of elements, how many there are, or neither.

A container that copies what it stores is told how large an element is when it is made (`queue_new(size_t elem_size)`).
Its functions get pointers to so many bytes.
"""

from __future__ import annotations

import re

from kleene.analysis.c.library.interface.exports import ExportedFunction
from kleene.cfa.types import CHAR, IntegerType, PointerType

COUNTS = re.compile(r"^n|len|size|count|num|cnt|cap|max|elems", re.IGNORECASE)
"""Names of parameters that have a number of elements."""
_OF_ELEMENTS = re.compile(
    r"(^|_)(e|i|k|v|d|t|elem|elm|element|item|obj|object|unit|key|val|value|data|entry|node|rec|record|type|cell|slot)"
    r"_?(size|sz|width)$|size_?of|stride",
    re.IGNORECASE,
)
"""Names of parameters that have the size of each element: nobody stores elements of no bytes."""
_MAY_BE_OF_ELEMENTS = re.compile(r"^(size|sz|width)$", re.IGNORECASE)
_SIZE_BITS = 64
"""Bits of `size_t`."""


def is_element_size(function: ExportedFunction, place: int) -> bool:
    """Whether a parameter is the size of an element, by its name."""
    return bool(_OF_ELEMENTS.search(function.parameters[place].name))


def is_count(function: ExportedFunction, place: int) -> bool:
    """Whether a number says how many elements there are: its name says so, its type, or its place behind a text."""
    parameter = function.parameters[place]
    type_ = parameter.type.type
    is_size = isinstance(type_, IntegerType) and not type_.signed and type_.bits == _SIZE_BITS
    before = function.parameters[place - 1].type.type if place else None
    is_length = isinstance(before, PointerType) and before.target == CHAR and isinstance(type_, IntegerType)
    return is_size or is_length or bool(COUNTS.search(parameter.name))


def element_size(function: ExportedFunction) -> int | None:
    """The place of the parameter by which a maker is told the size of elements; None if there is none, or several."""
    numbers = [i for i, p in enumerate(function.parameters) if isinstance(p.type.type, IntegerType)]
    sizes = [i for i in numbers if is_element_size(function, i)]
    sizes = sizes or [i for i in numbers if _MAY_BE_OF_ELEMENTS.search(function.parameters[i].name)]
    return sizes[0] if len(sizes) == 1 else None
