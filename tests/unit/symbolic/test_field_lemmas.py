"""Lemmas about fields, and the questions that they help to decide: cyclic, shared, doubly linked and sorted lists."""

from __future__ import annotations

from itertools import product

import pytest

from kleene.logic.formula import TRUE
from kleene.smt import Limits, Solver
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure, StructureBuilder
from kleene.structures.tvs_reader import parse_tvs
from kleene.symbolic import BestTransformer, SymbolicOptions, Theory, assume
from kleene.symbolic.assume import assume_scene
from kleene.symbolic.contracts.action_calls import action_of
from kleene.symbolic.search.field_lemmas import with_field_lemmas
from kleene.tvp.program import Program, parse_formula, parse_program

pytest.importorskip("z3")
pytest.importorskip("cvc5")

POINTERS = "%p x(v) unique pointer\n%p y(v) unique pointer\n"
REACH = "%i r[x](v) = E(w) (x(w) & n*(w, v))\n%i r[y](v) = E(w) (y(w) & n*(w, v))\n"
ACTIONS = """%%
%action Back(a, c) {
  %p E(v) c(v)
  { a(v) = E(w) (c(w) & b(w, v)) }
}
%%
s Back(y, y) t
"""
DOUBLY = (
    f"{POINTERS}%p n(v1, v2) function\n%p b(v1, v2) function\n"
    "%i nb(v) = A(w) (n(v, w) -> b(w, v))\n%i bn(v) = A(w) (b(v, w) -> n(w, v))\n" + REACH + ACTIONS
)
NOTHING = '%%\n%action skip() { %t "skip" }\n%%\ns skip() t\n'
LASSO = (
    f"{POINTERS}%p n(v1, v2) function\n%i is(v) = E(v1, v2) (n(v1, v) & n(v2, v) & v1 != v2)\n{REACH}"
    f"%i c(v) = n+(v, v)\n{NOTHING}"
)
SORTED = (
    f"{POINTERS}%p n(v1, v2) function acyclic\n%p dle(v1, v2) transitive reflexive\n"
    f"%i inO(v) = A(w) (n(v, w) -> dle(v, w))\n{REACH}%r !dle(v1, v2) ==> dle(v2, v1)\n{NOTHING}"
)
TREE = (
    f"{POINTERS}%p left(v1, v2) function\n%p right(v1, v2) function\n"
    "%i r[x](v) = x(v) | (E(w) (x(w) & (TC(w, v)(v1, v2)(left(v1, v2) | right(v1, v2)))))\n"
    "%i is(v) = E(v1, v2) (v1 != v2 & (left(v1, v) | right(v1, v)) & (left(v2, v) | right(v2, v)))\n" + NOTHING
)


def _given(text: str, structure: str) -> tuple[Program, Theory, Structure]:
    program = parse_program(text)
    (item,) = parse_tvs(structure, program.vocabulary).structures
    return program, Theory(program.vocabulary, program.rules), item.structure


DOUBLY_TVS = """%n = {u, w} %p = { sm = {w:1/2} x = {u} y = {u:1/2, w:1/2} n = {u->w:1/2, w->w:1/2}
  b = {w->u:1/2, w->w:1/2} r[x] = {u, w} r[y] = {u:1/2, w:1/2} nb = {u, w} bn = {u, w} }"""
LASSO_TVS = """%n = {u, w, g} %p = { sm = {w:1/2} x = {u} y = {g} n = {u->w:1/2, w->w:1/2, w->g:1/2, g->w:1/2}
  r[x] = {u, w, g} r[y] = {g, w:1/2} c = {w:1/2, g:1/2} is = {w:1/2, g:1/2} }"""
SORTED_TVS = """%n = {u, w} %p = { sm = {w:1/2} x = {u} n = {u->w:1/2, w->w:1/2}
  dle = {u->u, u->w:1/2, w->u:1/2, w->w:1/2} r[x] = {u, w} inO = {u, w} }"""
TREE_TVS = """%n = {u, w} %p = { sm = {w: 1/2} x = {u} y = {w:1/2} left = {u->w: 1/2, w->w: 1/2}
  right = {u->w: 1/2, w->w: 1/2} r[x] = {u, w} }"""


def test_a_doubly_linked_list_is_unshared_and_acyclic() -> None:
    """No declaration says so: b is a function, and inverse to n; nothing leads to x."""
    _, theory, structure = _given(DOUBLY, DOUBLY_TVS)
    scene = assume_scene(TRUE, structure, theory)
    assert "n" not in scene.fields.inverse_functions | scene.fields.acyclic
    learnt = with_field_lemmas(scene, Solver())
    assert "n" in learnt.fields.inverse_functions
    assert "n" in learnt.fields.acyclic
    assert len(learnt.base) == len(scene.base) + 2


def test_a_list_that_may_end_in_a_cycle_is_neither() -> None:
    _, theory, structure = _given(LASSO, LASSO_TVS)
    scene = assume_scene(TRUE, structure, theory)
    assert with_field_lemmas(scene, Solver()) == scene


@pytest.mark.parametrize(
    ("rules", "lemma"),
    [("%r n(v, v) ==> 0\n%r n(v, w) & n(w, v) ==> 0\n", "acyclic"), ("%r n+(v, v) ==> 0\n", "unshared")],
)
def test_what_no_small_store_refutes_is_not_taken_for_true(rules: str, lemma: str) -> None:
    """A cycle of three elements, and an element with two before it, do not fit into two individuals of a node."""
    text = f"%p x(v) unique pointer\n%p n(v1, v2) function\n%i r[x](v) = E(w) (x(w) & n*(w, v))\n{rules}{NOTHING}"
    _, theory, structure = _given(text, "%n = {w} %p = { sm = {w:1/2} n = {w->w:1/2} }")
    learnt = with_field_lemmas(assume_scene(TRUE, structure, theory), Solver()).fields
    assert "n" not in (learnt.acyclic if lemma == "acyclic" else learnt.inverse_functions)


def test_steps_of_a_tree_are_unshared() -> None:
    _, theory, structure = _given(TREE, TREE_TVS)
    learnt = with_field_lemmas(assume_scene(TRUE, structure, theory), Solver())
    (step,) = learnt.fields.unshared_steps
    assert str(step) == "left(a, b) | right(a, b)"


def test_where_a_list_enters_its_cycle() -> None:
    """y is shared, so the cycle begins there: all stores of up to five elements, and one structure that needs six."""
    program, theory, structure = _given(LASSO, LASSO_TVS)
    result = assume(parse_formula("E(v) (y(v) & is(v))", program.vocabulary), [structure], theory)
    assert result.most_precise
    assert len(result.structures) == 4


THREE = LASSO.replace("%p n(", "%p t(v) unique pointer\n%p n(").replace(
    "%i c(v)", "%i r[t](v) = E(w) (t(w) & n*(w, v))\n%i c(v)"
)


@pytest.mark.parametrize("seconds", [2.0, 0.001])
def test_what_is_learnt_of_names(seconds: float) -> None:
    """One more pointer: the question about all names is too hard at first. What is not proved is not learnt."""
    program, theory, structure = _given(THREE, LASSO_TVS)
    condition = parse_formula("E(v) (y(v) & is(v))", program.vocabulary)
    limits = Limits(query_seconds=seconds, total_seconds=60.0 if seconds > 1 else 3.0)
    result = assume(condition, [structure], theory, SymbolicOptions(limits=limits))
    small, known = _given(LASSO, LASSO_TVS)[1:], parse_program(LASSO).vocabulary
    stores = assume(parse_formula("E(v) (y(v) & is(v))", known), [small[1]], small[0]).stores
    assert result.most_precise == (seconds > 1)
    if result.most_precise:
        assert len(result.structures) == 4
    for store in stores:
        assert store is not None
        builder = StructureBuilder(program.vocabulary, store.size)
        for p in known.declared:
            for nodes in product(store.nodes, repeat=p.arity):
                builder.set(p.name, nodes, store.value(p.name, *nodes))
        assert any(embeds(builder.build(), s) for s in result.structures)


def test_the_element_before_in_a_doubly_linked_list() -> None:
    program, theory, structure = _given(DOUBLY, DOUBLY_TVS)
    result = BestTransformer(action_of(program, "Back(y, y)"), theory).run([structure])
    assert result.most_precise
    assert len(result.structures) == 10


@pytest.mark.parametrize(("formula", "count"), [("E(v, w) (x(v) & !dle(v, w))", 0), ("A(v, w) (x(v) -> dle(v, w))", 6)])
def test_the_first_of_a_sorted_list_is_the_least(formula: str, count: int) -> None:
    program, theory, structure = _given(SORTED, SORTED_TVS)
    result = assume(parse_formula(formula, program.vocabulary), [structure], theory)
    assert result.most_precise
    assert len(result.structures) == count
