"""TVS text as TVLA 3 writes it."""

from __future__ import annotations

import pytest

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.structure import Structure, StructureBuilder
from kleene.structures.tvs_writer import (
    TvsLocation,
    location_tvs,
    locations_tvs,
    structure_tvs,
    structures_tvs,
)

T, H = Kleene.TRUE, Kleene.UNKNOWN
VOCABULARY = Vocabulary().extend(
    [Predicate("x", 1), Predicate("n", 2), Predicate("a[n]", 1), Predicate("nn", 0), Predicate("bet", 3)]
)

LIST = """\
%n = {_0, _1}
%p = {
  nn = 1/2
  a[n] = {_0:1, _1:1/2}
  inac = {_0:1, _1:1/2}
  sm = {_1:1/2}
  x = {_0:1}
  n = {_0->_1:1, _1->_1:1/2}
  bet = {(_0,_1,_1):1}
}
"""


def list_structure(names: tuple[str, ...] | None = None) -> Structure:
    builder = StructureBuilder(VOCABULARY, 2, names)
    facts: list[tuple[str, tuple[int, ...], Kleene]] = [
        ("x", (0,), T),
        ("n", (0, 1), T),
        ("n", (1, 1), H),
        ("a[n]", (0,), T),
        ("a[n]", (1,), H),
        ("nn", (), H),
        ("sm", (1,), H),
        ("ac", (1,), H),
        ("bet", (0, 1, 1), T),
    ]
    for predicate, nodes, value in facts:
        builder.set(predicate, nodes, value)
    return builder.build()


def empty_structure() -> Structure:
    return StructureBuilder(VOCABULARY, 0).build()


def test_one_structure() -> None:
    assert structure_tvs(list_structure()) == LIST
    assert structure_tvs(empty_structure()) == "%n = {}\n%p = {\n}\n"
    assert structures_tvs([list_structure(), empty_structure()]) == LIST + "\n%n = {}\n%p = {\n}\n"


@pytest.mark.parametrize("names", [("u", "v"), ("u.0", "u.1"), ("[u,v]", "w"), ("[u.0,[v,w]].1", "$a_1")])
def test_significant_names_are_kept(names: tuple[str, str]) -> None:
    text = structure_tvs(list_structure(names), significant=True)
    assert text.startswith(f"%n = {{{names[0]}, {names[1]}}}\n")
    assert f"n = {{{names[0]}->{names[1]}:1" in text
    assert structure_tvs(list_structure(names)) == LIST


@pytest.mark.parametrize(
    "names",
    [
        ("u", "u"),
        ("u v", "w"),
        ("1", "2"),
        ("[u", "v"),
        ("u]", "v"),
        ("[]", "v"),
        ("", "v"),
        ("[u,]", "v"),
        ("u\n", "v"),
    ],
)
def test_names_that_cannot_be_read_back_are_replaced(names: tuple[str, str]) -> None:
    assert structure_tvs(list_structure(names), significant=True) == LIST


def test_locations() -> None:
    location = TvsLocation("L1", (list_structure(), empty_structure()), (('leak of "x"\\nhere', empty_structure()),))
    assert location_tvs(location) == (
        "%location L1 = {\n"
        "  %message \"leak of 'x' here\"\n"
        "  %n = {}\n  %p = {\n  }\n"
        "\n"
        "  %n = {}\n  %p = {\n  }\n"
        "\n" + "".join(f"  {line}\n" for line in LIST.splitlines()) + "}\n"
    )


def test_empty_and_quoted_locations() -> None:
    assert locations_tvs([TvsLocation("exit"), TvsLocation('while "x"')]) == (
        "%location exit = {\n}\n\n%location \"while 'x'\" = {\n}\n"
    )


def test_the_order_of_structures_and_messages_does_not_matter() -> None:
    a, b = list_structure(), empty_structure()
    one = TvsLocation("L", (a, b), (("m", a), ("k", b), ("m", b)))
    other = TvsLocation("L", (b, a), (("m", b), ("m", a), ("k", b)))
    assert location_tvs(one) == location_tvs(other)
