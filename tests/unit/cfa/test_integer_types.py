"""Numbers that are read as another type than they were written as."""

from __future__ import annotations

from itertools import product

import pytest

from kleene.cfa.types import BOOL, CHAR, INT, LONG_LONG, UNSIGNED, IntegerType, rereads, shared_type

BYTE = IntegerType(8, signed=False)
FUNCTION = IntegerType(64, signed=False, function=True)
ALL = (BOOL, CHAR, BYTE, INT, UNSIGNED, LONG_LONG, FUNCTION)


@pytest.mark.parametrize(("written", "read"), list(product(ALL, repeat=2)))
def test_what_can_be_read_again_is_converted(written: IntegerType, read: IntegerType) -> None:
    """The bytes of a number, little endian, read as the other type, are the number that conversion gives."""
    if not rereads(written, read):
        return
    assert written.size == read.size
    for value in {written.minimum, written.minimum + 1, 0, 1, written.maximum // 2, written.maximum}:
        content = (value % (1 << written.bits)).to_bytes(written.size, "little")
        assert int.from_bytes(content, "little", signed=read.signed) == read.wrap(value)


def test_what_cannot_be_read_again() -> None:
    """Of two numbers, of a part of one, of a byte that is no _Bool, of the address of a function nothing is known."""
    pairs = [
        (INT, LONG_LONG),
        (LONG_LONG, INT),
        (BYTE, INT),
        (BYTE, BOOL),
        (FUNCTION, LONG_LONG),
        (LONG_LONG, FUNCTION),
    ]
    assert not any(rereads(written, read) for written, read in pairs)


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        ([INT], INT),
        ([UNSIGNED], UNSIGNED),
        ([INT, UNSIGNED], INT),
        ([BOOL], BOOL),
        ([BOOL, BYTE], BYTE),
        ([BOOL, CHAR, BYTE], CHAR),
        ([INT, LONG_LONG], None),
        ([FUNCTION, LONG_LONG], None),
        ([], None),
    ],
)
def test_the_type_as_which_numbers_are_kept(types: list[IntegerType], kept: IntegerType | None) -> None:
    assert shared_type(types) == kept
    assert kept is None or all(rereads(type_, kept) for type_ in types)
