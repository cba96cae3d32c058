"""The language of shape-class generators: what it means, and where its mistakes are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kleene.diagnostics import InputError
from kleene.refine.classes.generators import Generator, Lattice, Roles, check_entries, example_groups, predicates_of
from kleene.refine.classes.language import parse_entries
from kleene.refine.classes.library import built_in, library

GOOD = """
%shape ring "a ring" {
  %refines sll
  %forward one
  %invariant linked "every cell has a successor" = &/{ A(v) E(w) g(v, w) : g in Groups }
  %family reach "what is reached" {
    %acyclic
    foreach (g in Groups) {
      %i t[g](v1, v2) = g*(v1, v2) transitive reflexive
    }
  }
  %family from "what pointers reach" needs reach {
    foreach (g in Groups) { foreach (x in Separating) { %i r[g,x](v) = E(w) (x(w) & t[g](w, v)) } }
  }
}
"""


def test_the_built_in_shapes_are_those_of_the_paper_and_ours():
    names = {entry.name for entry in built_in()}
    assert {"sll", "dll", "tree", "treep", "clist", "cdll", "nested", "sorted", "graph"} <= names


def test_families_that_are_chosen_together():
    (entry,) = parse_entries(GOOD.replace('"what pointers reach" needs reach {', '"what pointers reach" with reach {'))
    assert entry.family("from").companions == ("reach",)
    alone = Generator(entry, frozenset({"from"}), Roles(forward=frozenset({"next"})))
    assert alone.accompanied.families == {"from", "reach"}
    assert replace(alone, families=frozenset({"reach"})).accompanied.families == {"reach"}


def test_an_entry():
    (entry,) = parse_entries(GOOD)
    assert (entry.name, entry.title, entry.refines) == ("ring", "a ring", ("sll",))
    assert [f.name for f in entry.families] == ["reach", "from"]
    assert entry.family("reach").acyclic
    assert entry.family("from").needs == ("reach",)
    assert entry.fits(1, 0, 0)
    assert not entry.fits(2, 0, 0)
    assert entry.is_closed(frozenset({"reach"}))
    assert not entry.is_closed(frozenset({"from"}))


@pytest.mark.parametrize(
    "old,new,place,text",
    [
        ("%refines sll", "%refine sll", "<shapes>:3:", "expected"),
        ("%forward one", "%forward two", "<shapes>:4:12", "none, one"),
        ("needs reach", "needs rach", "<shapes>:12:", "did you mean 'reach'"),
        ("needs reach", "needs reach with rach", "<shapes>:12:", "did you mean 'reach'"),
        ("x(w) & t[g]", "x(w) & q[g]", "<shapes>:13:", "undeclared predicate"),
        ("transitive reflexive", "transitive reflexiv", "<shapes>:9:", "unknown property"),
        ("x in Separating", "x in Separated", "<shapes>:13:", "undeclared set"),
        ("E(w) (x(w) & t[g](w, v))", "E(w) x(w)", "<shapes>:13:", "does not mention"),
        ('%family from "what', '%family reach "what', "<shapes>:12:", "family 'reach' already"),
        ("%refines sll", "%refines slll", "<shapes>:2:", "does not exist"),
        ("}\n}\n", "}\n", "<shapes>:", "the end of the file"),
    ],
)
def test_mistakes_have_a_place(old, new, place, text):
    assert old in GOOD
    with pytest.raises(InputError) as problem:
        check_entries([*parse_entries(GOOD.replace(old, new, 1)), *(e for e in built_in() if e.name == "sll")])
    assert place in str(problem.value)
    assert text in str(problem.value)


def test_a_family_that_is_not_monotone_is_reported():
    bad = GOOD.replace("%i r[g,x](v) = E(w) (x(w) & t[g](w, v))", "").replace(
        '%family from "what pointers reach" needs reach {',
        '%family from "any" needs reach { %i some(v) = |/{ x(v) : x in Separating }',
    )
    with pytest.raises(InputError, match="not monotone: 'some'"):
        check_entries([*parse_entries(bad), *(e for e in built_in() if e.name == "sll")])


def test_a_user_file_adds_a_shape(tmp_path):
    path = tmp_path / "own.scg"
    path.write_text(GOOD, encoding="utf-8")
    assert "ring" in {e.name for e in library([str(path)])}
    path.write_text(GOOD.replace("%shape ring", "%shape dll"), encoding="utf-8")
    with pytest.raises(InputError, match="built-in shape 'dll' already"):
        library([str(path)])


# Generators ---------------------------------------------------------------------------------------------------------


def _entry(name):
    return next(e for e in built_in() if e.name == name)


@pytest.mark.parametrize("name", [e.name for e in built_in()])
def test_more_families_and_more_pointers_give_more_predicates(name):
    """The generators of an entry are monotone functions, ordered by their families."""
    entry = _entry(name)
    lattice = Lattice([entry], {name: Roles()})
    groups = example_groups(entry)
    made = {}
    for generator in lattice.generators:
        small = {p.name for p in predicates_of(generator, groups, ["p"]).predicates}
        large = {p.name for p in predicates_of(generator, groups, ["p", "q"]).predicates}
        assert small <= large
        made[generator] = large
    for fine in lattice.generators:
        for coarse in lattice.generators:
            if lattice.refines(fine, coarse):
                assert made[coarse] <= made[fine]


def test_the_order_between_data_structures():
    entries = built_in()
    lattice = Lattice(entries, {e.name: Roles() for e in entries})
    assert lattice.refines(lattice.least("dll"), lattice.least("sll"))
    assert lattice.refines(lattice.least("treep"), lattice.least("sll"))
    assert not lattice.refines(lattice.least("sll"), lattice.least("dll"))
    assert not lattice.refines(lattice.least("tree"), lattice.least("dll"))
    assert not lattice.refines(lattice.least("dll"), lattice.most("sll"))
    assert lattice.refines(lattice.most("dll"), lattice.most("sll"))
    assert all(lattice.refines(g, lattice.coarsest) for g in lattice.generators)


def test_the_coarsest_generator_tracks_no_field():
    coarsest = Generator(None, frozenset(), Roles(forward=frozenset({"next"})))
    assert coarsest.instrument((), None).predicates == ()
