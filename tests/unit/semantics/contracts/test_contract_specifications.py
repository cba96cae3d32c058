"""The predicates of contracts in formulas against their meaning on all graphs of two nodes, which is written here."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from tests.oracle.naive import NaiveStructure, empty, evaluate

from kleene.logic.formula import FALSE, Closure, subformulas
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.semantics.contracts.specifications import Specification, SpecificationVocabulary, relativize
from kleene.tvp.program import parse_formula

WORDS = SpecificationVocabulary(("x", "y"), ("n", "p"))
NODES = (0, 1)
Field = tuple[int | None, ...]


def paths(fields: tuple[Field, ...], start: int) -> set[int]:
    """The nodes on ways from a node, itself included."""
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        for following in (field[node] for field in fields):
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return seen


Graph = tuple[Field, Field, int | None, int | None]
"""Where n and p lead, and where x and y point."""
Place = tuple[int, ...]
MEANINGS: dict[str, Callable[[Graph, Place], bool]] = {
    "x": lambda g, v: g[2] == v[0],
    "y": lambda g, v: g[3] == v[0],
    "n": lambda g, v: g[0][v[0]] == v[1],
    "p": lambda g, v: g[1][v[0]] == v[1],
    "t[n]": lambda g, v: v[1] in paths((g[0],), v[0]),
    "t[p]": lambda g, v: v[1] in paths((g[1],), v[0]),
    "t[n,p]": lambda g, v: v[1] in paths(g[:2], v[0]),
    "is[n]": lambda g, v: g[0].count(v[0]) > 1,
    "is[p]": lambda g, v: g[1].count(v[0]) > 1,
    "is[n,p]": lambda g, v: (*g[0], *g[1]).count(v[0]) > 1,
    "c[n]": lambda g, v: on_a_cycle(g[:1], v[0]),
    "c[p]": lambda g, v: on_a_cycle(g[1:2], v[0]),
    "c[n,p]": lambda g, v: on_a_cycle(g[:2], v[0]),
    "inv[n,p]": lambda g, v: leads_back(g[0], g[1], v[0]),
    "inv[p,n]": lambda g, v: leads_back(g[1], g[0], v[0]),
    "r[x,n]": lambda g, v: g[2] is not None and v[0] in paths(g[:1], g[2]),
    "r[y,n]": lambda g, v: g[3] is not None and v[0] in paths(g[:1], g[3]),
    "r[x,p]": lambda g, v: g[2] is not None and v[0] in paths(g[1:2], g[2]),
    "r[y,p]": lambda g, v: g[3] is not None and v[0] in paths(g[1:2], g[3]),
    "r[x,n,p]": lambda g, v: g[2] is not None and v[0] in paths(g[:2], g[2]),
    "r[y,n,p]": lambda g, v: g[3] is not None and v[0] in paths(g[:2], g[3]),
    "r[x]": lambda g, v: g[2] is not None and v[0] in paths(g[:2], g[2]),
    "r[y]": lambda g, v: g[3] is not None and v[0] in paths(g[:2], g[3]),
}


def on_a_cycle(fields: tuple[Field, ...], node: int) -> bool:
    return any(field[node] is not None and node in paths(fields, field[node]) for field in fields)  # type: ignore[arg-type]


def leads_back(there: Field, back: Field, node: int) -> bool:
    following = there[node]
    return following is None or back[following] == node


@cache
def fields() -> tuple[Field, ...]:
    return tuple(itertools.product((None, *NODES), repeat=len(NODES)))


def graphs() -> Iterator[Graph]:
    for n, p in itertools.product(fields(), repeat=2):
        yield n, p, 0, 1
        yield n, p, None, 0


def places(arity: int) -> list[Place]:
    return list(itertools.product(NODES, repeat=arity))


@cache
def structure(graph: Graph, before: Graph | None = None) -> NaiveStructure:
    """The graph with all predicates as they are meant; with another one as that before the call."""
    vocabulary = WORDS.vocabulary if before is None else WORDS.two_moments
    made = empty(vocabulary, len(NODES))
    for moment, text in ((graph, "{}"), (before, "old[{}]")):
        for name, holds in MEANINGS.items() if moment is not None else ():
            for place in places(WORDS.vocabulary[name].arity):
                made.set(text.format(name), place, float(holds(moment, place)))
    return made


def test_the_predicates() -> None:
    assert set(WORDS.meanings) == set(MEANINGS)
    assert set(SpecificationVocabulary(("x",), ("n",)).meanings) == {
        "x", "n", "t[n]", "is[n]", "c[n]", "r[x,n]", "r[x]",
    }  # fmt: skip
    assert set(SpecificationVocabulary(("x",), ()).meanings) == {"x"}
    for p in WORDS.vocabulary.declared:
        properties = {"x": {"unique"}, "y": {"unique"}, "n": {"function"}, "p": {"function"}}.get(p.name, set())
        path = p.name.startswith("t[")
        assert p.properties == ({"transitive", "reflexive"} if path else properties)
        assert (p.arity, p.abstraction) == ((2, False) if path or p.name in "np" else (1, True))


@pytest.mark.parametrize("name", MEANINGS)
def test_definitions(name: str) -> None:
    predicate = WORDS.vocabulary[name]
    assert (predicate.definition is None) == (name in ("x", "y", "n", "p"))
    for graph in graphs() if predicate.definition is not None else ():
        made = structure(graph)
        for place in places(predicate.arity):
            value = evaluate(made, predicate.definition, dict(zip(predicate.args, place, strict=True)))
            assert value == made.value(name, place), (graph, place)


def test_two_moments() -> None:
    """Each predicate has a value before the call, fields may be unchanged, and blocks may be new."""
    names = {p.name for p in WORDS.two_moments.declared}
    assert names == {*MEANINGS, *(f"old[{name}]" for name in MEANINGS), "same[n]", "same[p]", "new"}
    assert all(WORDS.two_moments[f"old[{name}]"].arity == WORDS.vocabulary[name].arity for name in MEANINGS)
    assert {WORDS.two_moments[name].arity for name in ("same[n]", "same[p]", "new")} == {1}


ALONG_FIELDS = [
    "E(v, w) x(v) & n*(v, w) & y(w)",
    "E(v, w) x(v) & n+(v, w) & y(w)",
    "A(v) x(v) -> p*(v, v)",
    "A(v) x(v) -> n+(v, v)",
    "E(v, w) x(v) & y(w) & TC(v, w)(a, b)(n(a, b) | p(a, b))",
    "E(v, w) x(v) & y(w) & (v == w | TC(v, w)(a, b)(p(a, b) | n(a, b)))",
    "E(v, w) x(v) & y(w) & ((TC(v, w)(a, b) n(a, b)) | w == v)",
    "E(v, w) x(v) & y(w) & TC(v, w)(a, b)(old[n](a, b))",
    "E(v, w) x(v) & y(w) & (v == w | TC(v, w)(a, b)(old[p](a, b) | old[n](a, b)))",
]
ALONG_OTHER_STEPS = [
    "E(v, w) x(v) & y(w) & TC(v, w)(a, b)(n(b, a))",
    "E(v, w) x(v) & y(w) & TC(v, w)(a, b)(n(a, b) & p(a, b))",
    "E(v, w) x(v) & y(w) & TC(v, w)(a, b)(n(a, b) | old[p](a, b))",
    "E(v, w) x(v) & y(w) & TC(v, w)(a, b)(n(a, b) | x(b))",
    "E(v, w) x(v) & y(w) & (x(v) | TC(v, w)(a, b)(n(b, a)))",
]
MIXED = [
    "E(v, w, u) x(v) & y(w) & (v == u | TC(v, w)(a, b)(n(a, b)))",
    "E(v, w) x(v) & (y(w) | TC(v, w)(a, b)(n(a, b)))",
]


@pytest.mark.parametrize("text", ALONG_FIELDS + ALONG_OTHER_STEPS + MIXED)
def test_paths_have_predicates(text: str) -> None:
    """A closure along fields becomes a predicate that means the same; other closures stay."""
    formula = parse_formula(text, WORDS.two_moments)
    changed = WORDS.with_paths(formula)
    assert any(isinstance(part, Closure) for part in subformulas(changed)) == (text in ALONG_OTHER_STEPS)
    earlier: list[Graph] = [((1, None), (None, 0), 0, 1), ((None, 0), (None, 0), 1, 0), ((1, 0), (None, None), 0, 0)]
    for graph, before in itertools.product(list(graphs())[::3], earlier):
        made = structure(graph, before)
        assert evaluate(made, changed, {}) == evaluate(made, formula, {}), (graph, before)


def test_some_of_the_fields_have_no_path() -> None:
    """There are predicates for paths along one field, and along all of them."""
    words = SpecificationVocabulary(("x",), ("n", "p", "q"))
    for steps, stays in (("n(a, b) | p(a, b)", True), ("n(a, b) | p(a, b) | q(a, b)", False), ("q(a, b)", False)):
        changed = words.with_paths(parse_formula(f"A(v) x(v) -> TC(v, v)(a, b)({steps})", words.vocabulary))
        assert any(isinstance(part, Closure) for part in subformulas(changed)) == stays


def specification(pointers: tuple[str, ...], words: SpecificationVocabulary) -> Specification:
    return Specification("f", words, pointers, FALSE, FALSE, frozenset())


def test_every_block_is_reached() -> None:
    for graph in graphs():
        made = structure(graph)
        for pointers in (("x", "y"), ("x",), ("y",), ()):
            roots = [graph[2 + "xy".index(p)] for p in pointers]
            reached = {node for root in roots if root is not None for node in paths(graph[:2], root)}
            assert evaluate(made, specification(pointers, WORDS).reached, {}) == float(reached == set(NODES))
    alone = SpecificationVocabulary(("x",), ())
    made = empty(alone.vocabulary, 1)
    assert evaluate(made, specification(("x",), alone).reached, {}) == 0.0
    made.set("x", (0,), 1.0)
    assert evaluate(made, specification(("x",), alone).reached, {}) == 1.0
    assert specification((), alone).reached == parse_formula("A(v) 0", alone.vocabulary)


SMALL = Vocabulary((Predicate("q", 1, ("v",)), Predicate("in", 1, ("v",)), Predicate("n", 2, ("v", "w"))))


@pytest.mark.parametrize(
    "text",
    [
        "A(v) q(v)",
        "E(v) q(v)",
        "A(v) E(w) n(v, w)",
        "E(v) A(w) n(v, w)",
        "!E(v) (q(v) & A(w) n(w, v))",
        "A(v) q(v) <-> n(v, v)",
    ],
)
def test_formulas_about_some_individuals(text: str) -> None:
    formula = parse_formula(text, SMALL)
    inside = relativize(formula, lambda v: parse_formula(f"in({v})", SMALL))
    for chosen in itertools.product((0.0, 1.0), repeat=2 + 2 + 4):
        made = empty(SMALL, len(NODES))
        for node in NODES:
            made.set("q", (node,), chosen[node])
            made.set("in", (node,), chosen[2 + node])
        for number, place in enumerate(places(2)):
            made.set("n", place, chosen[4 + number])
        part = made.copy()
        for node in NODES:
            if not chosen[2 + node]:
                part.remove(node)
        assert evaluate(made, inside, {}) == evaluate(part, formula, {})
