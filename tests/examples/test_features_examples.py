"""The small programs that each show one feature of the language."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_runs import EXAMPLES, ORDERS, analyse, example, mutant

MESSAGES: dict[str, set[tuple[str, str]]] = {
    "auto": set(),
    "clone": set(),
    "cyclic": set(),
    "definite_names": set(),
    "general_tc": set(),
    "mark_sweep": set(),
    "messages": {
        ("n2", "x was not NULL"),
        ("n2", "x is NULL"),
        ("n2", "x certainly was not NULL"),
        ("n2", "x certainly was not NULL, said the other way round"),
    },
    "mutex": set(),
    "new_formula": set(),
    "relations": set(),
    "retain": {("n3", "there may be garbage")},
    "sets": set(),
    "single": set(),
    "termination": set(),
    "ternary": set(),
    "tree_delete": set(),
    "tree_insert": set(),
    "tree_rotate": set(),
    "unique_per_cc": set(),
}

FINAL = [
    ("auto", "exit", "A(v) (r[n, y](v) & !is[n](v))"),
    ("auto", "exit", "!(E(v) x(v))"),
    ("clone", "exit", "A(v) ((r[n, x](v) | r[n, y](v)) & !(r[n, x](v) & r[n, y](v)))"),
    ("cyclic", "exit", "A(v) (next[n](v) & prev[n](v) & !is[n](v))"),
    ("general_tc", "exit", "A(v) (t(v) -> path(v) & !hole(v))"),
    ("mark_sweep", "n7", "A(v) (marked(v) <-> r[root](v))"),
    ("mark_sweep", "exit", "A(v) r[root](v)"),
    ("mutex", "checked", "lock()"),
    ("new_formula", "exit", "A(v) (r[n, x](v) -> !r[n, y](v) & !is[n](v))"),
    ("relations", "exit2", "A(v) ((x(v) <-> y(v)) & (y(v) <-> z(v)))"),
    ("retain", "n5", "A(v) r[n, x](v)"),
    ("sets", "exit", "A(v) (r[n, y](v) | r[n, z](v))"),
    ("single", "exit", "A(v) (r[n, y](v) & !is[n](v) & !c[n](v))"),
    ("termination", "exit", "A(v) marked(v)"),
    ("ternary", "exit", "A(v) (y(v) <-> before(v))"),
    ("tree_delete", "exit", "A(v) (r[x](v) & !is[down](v))"),
    ("tree_insert", "exit", "(E(v) x(v)) & A(v) (r[x](v) & !is[down](v) & !both[down](v))"),
    ("tree_rotate", "exit", "A(v) (r[x](v) & !is[down](v) & !both[down](v))"),
    ("unique_per_cc", "exit", "A(v) (x(v) <-> y(v))"),
]

PARENTS = ("n20", "some element may have two parents")
MUTANTS = [
    ("auto", "n7 Set_Next(y, t) n8", "n7 Skip() n8", ("n9", "some element may not be reachable from y")),
    (
        "auto",
        "n7 Set_Next(y, t) n8",
        "n7 Set_Next(y, y) n8",
        ("n7", "Closed cycle for acyclic predicate n"),
    ),
    (
        "clone",
        "    y1(v) = x1(v) & isNew(v)\n    r[n, y1](v) = isNew(v)\n",
        "    y1(v) = x1(v) & !isNew(v)\n    r[n, y1](v) = r[n, x1](v) & !isNew(v)\n",
        ("n4", "x and y may share elements"),
    ),
    ("cyclic", "n8 Set_Next(e, t) n9", "n8 Skip() n9", ("n3", "some element may have no successor")),
    ("definite_names", "n2 Is_Not_Null_Var(t) n3", "n2 Skip() n3", ("n5", "NULL dereference: t->n")),
    ("general_tc", "n5 Is_No_Hole(u) n6", "n5 Is_Not_Null(u) n6", ("n2", "t may be on a hole")),
    ("mark_sweep", "n2 Nothing_Pending() n6", "n3 Take() n6", ("n6", "a reachable element may not be marked")),
    (
        "mark_sweep",
        "    marked(v) = root(v)\n    pending(v) = root(v)\n    closed(v) = A(w) (ref(v, w) -> root(w))",
        "    marked(v) = 1\n    pending(v) = root(v)\n    closed(v) = 1",
        ("n6", "an unreachable element may be marked"),
    ),
    (
        "mutex",
        "%p (E(v) cur(v)) & !lock()",
        "%p E(v) cur(v)",
        ("checked", "two threads may be in the critical section"),
    ),
    (
        "new_formula",
        "%new r[n, x1](v)",
        "%new r[n, x1](v) & !x1(v)",
        ("n5", "one of x and y may be NULL, and the other one not"),
    ),
    ("relations", "reflexive transitive antisymmetric", "reflexive transitive", ("n11", "x and y may differ")),
    (
        "relations",
        "near(v1, v2) symmetric antireflexive",
        "near(v1, v2) antireflexive",
        ("n6", "y may not be near to x"),
    ),
    ("retain", "%retain |/{ r[n, z](v) : z in PVar }", "", ("n5", "there may be garbage")),
    ("sets", "n6 Set_Next_L(t, y) n7", "n6 Set_Next_L(t, z) n7", ("n1", "two lists may share elements")),
    ("sets", "n6 Set_Next_L(t, z) n8", "n6 Skip() n8", ("n8", "memory leak: z = t loses elements")),
    ("termination", "n4 Get_Next_L(t, t) n2", "n4 Copy_Var_L(t, x) n2", ("n3", "an element may be visited twice")),
    ("ternary", "n5 Read(y, o, g) n6", "n5 Read(y, o, f) n6", ("n6", "y and before may differ")),
    ("ternary", "n2 Write(o, f, w) n3", "n2 Write(o, g, w) n3", ("n4", "y and w may differ")),
    (
        "tree_delete",
        "n3 Set_Child_Null_T(x, left) n4",
        "n3 Set_Child_Null_T(x, right) n4",
        ("n5", "free_tree(y) may free what another variable reaches"),
    ),
    ("tree_insert", "n6 Is_Null_Var(u) n7", "n6 Skip() n7", ("n7", "Internal error! assume that t->left == NULL")),
    (
        "tree_insert",
        "n9 Set_Child_T(t, right, e) n20",
        "n9 Skip() n20",
        ("n23", "some element may not be in the tree x"),
    ),
    ("tree_rotate", "n5 Set_Child_Null_T(y, right) n6", "n5 Skip() n6", None),
    (
        "tree_rotate",
        "n9 Set_Child_T(y, right, x) n10",
        "n9 Skip() n10",
        ("n20", "some element may not be in the tree x"),
    ),
    (
        "tree_rotate",
        "n8 Set_Child_T(x, left, t) n9",
        "n8 Set_Child_T(x, left, y) n9",
        ("n9", "Closed cycle for acyclic predicate down"),
    ),
    (
        "unique_per_cc",
        "%p rep(v) uniquePerCC(link)",
        "%p rep(v)",
        ("n6", "x and y may be different representatives of one component"),
    ),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", MESSAGES)
def test_exactly_the_expected_messages(name: str, order: str) -> None:
    result = example(f"features/{name}", order=order)
    assert result.messages == MESSAGES[name]
    assert result.report.verdict == ("messages" if MESSAGES[name] else "verified")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("name", "location", "formula"), FINAL)
def test_final_shapes(name: str, location: str, formula: str, order: str) -> None:
    assert example(f"features/{name}", order=order).proves(location, formula)


@pytest.mark.parametrize(("name", "old", "new", "message"), MUTANTS)
def test_a_mutant_is_reported(tmp_path: Path, name: str, old: str, new: str, message: tuple[str, str] | None) -> None:
    result = mutant(tmp_path, f"features/{name}", [(f"features/{name}.tvp", old, new)])
    found = result.messages - MESSAGES[name]
    assert found
    assert message is None or message in found


def test_every_program_of_the_folder_is_tested() -> None:
    programs = {path.stem for path in (EXAMPLES / "features").glob("*.tvp")} - {"tree_pred", "tree_stat"}
    assert programs == set(MESSAGES)


def test_the_second_naming_rule_gives_fewer_structures() -> None:
    path = EXAMPLES / "features/definite_names.tvp"
    second = analyse(path, definite_names=True)
    tvla = analyse(path, definite_names=True, order="tvla")
    assert not second.messages and not tvla.messages
    stored = [r.report.statistics.stored for r in (tvla, second, example("features/definite_names"))]
    assert stored == sorted(stored) and len(set(stored)) == 3


def test_single_structure_mode_gives_fewer_structures() -> None:
    single, several = example("features/single"), example("sll/reverse")
    assert single.report.statistics.stored < several.report.statistics.stored


def test_clone_gives_the_structures_of_new_with_a_formula() -> None:
    assert set(example("features/clone").structures("exit")) == set(example("features/new_formula").structures("exit"))


def test_marks_fail_on_a_cycle() -> None:
    result = example("features/termination", "features/cycle")
    assert result.messages == {("n3", "an element may be visited twice")}


def test_derived_updates_give_the_shapes_of_the_written_ones() -> None:
    """features/auto derives what sll/reverse has from the thesis; the loop has as many structures."""
    derived, written = example("features/auto").counts(), example("sll/reverse").counts()
    assert all(derived[f"n{i}"] == written[f"n{i}"] for i in range(1, 9))
