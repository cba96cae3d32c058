"""Coerce (Def. 5.1): it keeps exactly the legal concretisations, and is the naive fixpoint of its rules."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import And, Atom, Equal, Exists, Formula, Not
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.join import join_independent, join_partial
from kleene.structures.structure import Structure
from kleene.transformers.action import Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.rules import all_rules

from .concrete import satisfies_rule
from .generate import ALL, SETTINGS, Setting, abstractions, all_concrete, formulas, gamma, structures
from .naive import (
    HALF,
    NaiveStructure,
    coerce,
    embeds,
    empty,
    from_structure,
    is_embedding,
    node_name,
    to_structure,
)

DATA = st.data()


@cache
def coercer(setting: Setting) -> Coercer:
    return Coercer(setting.vocabulary, all_rules(setting.vocabulary, setting.rules))


def coerced(setting: Setting, s: NaiveStructure) -> NaiveStructure | None:
    result = coercer(setting).coerce(to_structure(s))
    return None if result is None else from_structure(result)


def _input(setting: Setting) -> st.SearchStrategy[NaiveStructure]:
    return abstractions(setting) | structures(setting.vocabulary, most=3)


def heads(setting: Setting) -> list[Formula]:
    """Literals that a rule may conclude."""
    found: list[Formula] = [Equal("v", "w"), Not(Equal("v", "w"))]
    for p in setting.vocabulary.declared:
        if p.arity <= 2:
            atom = Atom(p.name, ("v", "w")[: p.arity])
            found += [atom, Not(atom)]
        if p.arity == 2:  # of one individual: not of all pairs of those of a summary node
            found += [Atom(p.name, ("v", "v")), Not(Atom(p.name, ("v", "v")))]
    return found


@settings(max_examples=300)
@given(DATA)
def test_keeps_every_legal_concretisation(data: st.DataObject) -> None:
    """A concrete structure that satisfies all properties, definitions and rules is never lost."""
    setting = data.draw(SETTINGS)
    s = data.draw(_input(setting))
    result = coerced(setting, s)
    before = gamma(setting, s)
    if result is None:
        assert not before, f"contradiction, but {before[0]} is embedded in {s}"
    else:
        for c in before:
            assert embeds(c, result), f"{c} was lost from {s}: {result}"


@settings(max_examples=200)
@given(DATA)
def test_adds_nothing(data: st.DataObject) -> None:
    """coerce(S) is below S, over the same universe."""
    setting = data.draw(SETTINGS)
    s = data.draw(_input(setting))
    result = coerced(setting, s)
    if result is not None:
        assert is_embedding(result, s, {u: u for u in s.universe})


@settings(max_examples=200)
@given(DATA)
def test_equals_the_naive_fixpoint(data: st.DataObject) -> None:
    """The rules applied one by one, one assignment after another, give the same structure."""
    setting = data.draw(SETTINGS)
    s = data.draw(_input(setting))
    expected = coerce(s, all_rules(setting.vocabulary, setting.rules))
    assert coerced(setting, s) == expected


@settings(max_examples=100)
@given(DATA)
def test_any_user_rule(data: st.DataObject) -> None:
    """A random rule, alone: the naive fixpoint, and no concrete structure that satisfies the rule is lost."""
    setting = data.draw(SETTINGS)
    body = data.draw(formulas(setting.vocabulary, ("v", "w"), depth=3, rank=2))
    rule = Rule(body, data.draw(st.sampled_from(heads(setting))))
    s = data.draw(abstractions(setting))
    result = Coercer(setting.vocabulary, (rule,)).coerce(to_structure(s))
    expected = coerce(s, [rule])
    assert (None if result is None else from_structure(result)) == expected
    if "1/2" in str(body):
        return
    for c in gamma(setting, s)[:30]:
        if satisfies_rule(c, rule):
            assert expected is not None and embeds(c, expected)


@settings(max_examples=60)
@given(DATA)
def test_repairs_cascade_to_a_fixpoint(data: st.DataObject) -> None:
    """Each rule's head is the next rule's body; the rules are given in any order, mostly a bad one."""
    setting = data.draw(SETTINGS)
    unary = [Atom(p.name, ("v",)) for p in setting.vocabulary.declared if p.arity == 1]
    edges = [Atom(p.name, ("v", "v")) for p in setting.vocabulary.declared if p.arity == 2]
    atoms = data.draw(st.permutations(unary + edges))
    signs = data.draw(st.lists(st.booleans(), min_size=len(atoms), max_size=len(atoms)))
    chain = [atom if sign else Not(atom) for atom, sign in zip(atoms, signs, strict=True)]
    rules = [Rule(body, head) for body, head in pairwise(chain)]
    rules = data.draw(st.just(rules[::-1]) | st.permutations(rules))
    s = empty(setting.vocabulary, data.draw(st.integers(1, 3)))
    for p in setting.vocabulary.declared:
        for nodes in s.tuples(p.name):
            s.set(p.name, nodes, HALF)
    start = data.draw(st.sampled_from(s.universe))
    s.set(atoms[0].predicate, (start,) * len(atoms[0].args), float(signs[0]))
    result = Coercer(setting.vocabulary, tuple(rules)).coerce(to_structure(s))
    expected = coerce(s, rules)
    assert result is not None and from_structure(result) == expected
    last = atoms[-1]
    assert from_structure(result).value(last.predicate, (start,) * len(last.args)) == float(signs[-1])


def test_a_node_that_becomes_one_individual_is_looked_at_again() -> None:
    """``n(v, v)`` is demanded of single nodes only: such a rule was not checked after `x` made a node one."""
    edge = Predicate("n", 2, ("v1", "v2"))
    own = Predicate("own", 1, ("v",), definition=Atom("n", ("v", "v")))
    vocabulary = Vocabulary().extend([own, edge, Predicate("x", 1, ("v",), frozenset({"unique"}))])
    rules = all_rules(vocabulary)
    for order in permutations(rules) if len(rules) < 6 else (rules, rules[::-1]):
        s = empty(vocabulary, 1)
        s.set("sm", (0,), HALF)
        s.set("x", (0,), 1.0)
        s.set("n", (0, 0), HALF)
        result = Coercer(vocabulary, tuple(order)).coerce(to_structure(s))
        assert result is not None
        assert result.value("sm", 0) is result.value("n", 0, 0) is Kleene.FALSE


@given(DATA)
def test_idempotent(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    result = coercer(setting).coerce(to_structure(data.draw(_input(setting))))
    if result is not None:
        assert coercer(setting).coerce(result) == result


@settings(max_examples=60)
@given(DATA)
def test_order_of_rules_does_not_matter(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    rules = all_rules(setting.vocabulary, setting.rules)
    shuffled = tuple(data.draw(st.permutations(rules)))
    structure = to_structure(data.draw(_input(setting)))
    assert Coercer(setting.vocabulary, shuffled).coerce(structure) == coercer(setting).coerce(structure)


@settings(max_examples=100)
@given(DATA)
def test_blur_and_joins_keep_what_coerce_established(data: st.DataObject) -> None:
    """docs/concepts/coerce.md: stored structures need no second coerce after blur or a join."""
    setting = data.draw(SETTINGS)
    found = [coercer(setting).coerce(to_structure(data.draw(abstractions(setting)))) for _ in range(2)]
    stored = [canonical_abstraction(s) for s in found if s is not None]
    for s in stored:
        assert coercer(setting).coerce(s) == s
    if len(stored) == 2:
        first, second = stored
        joined = [join_independent(first, second)] if nullary(first) == nullary(second) else []
        if names(first) == names(second):
            joined.append(join_partial(first, second))
        for s in joined:
            assert coercer(setting).coerce(s) == s, f"{first} and {second}"


def nullary(s: Structure) -> list[Kleene]:
    return [s.value(p.name) for p in s.vocabulary.nullary_abstraction]


def names(s: Structure) -> set[tuple[float, ...]]:
    naive = from_structure(s)
    return {node_name(naive, u) for u in naive.universe}


def test_legal_concrete_structures_are_left_alone() -> None:
    """Every generated rule holds in every legal concrete structure, so coerce changes none of them."""
    for setting in ALL:
        for c in all_concrete(setting)[::5]:
            structure: Structure = to_structure(c)
            assert coercer(setting).coerce(structure) == structure, f"{c}"


@settings(max_examples=20)
@given(DATA)
def test_many_nodes(data: st.DataObject) -> None:
    """15 to 17 nodes: the wider layout gives the naive fixpoint too (of cheap rules)."""
    setting = data.draw(st.sampled_from([s for s in ALL if s.name in ("LIST", "GRAPH")]))
    s = data.draw(structures(setting.vocabulary, least=15, most=17))
    edge = "n" if setting.name == "LIST" else "m"
    point = "x" if setting.name == "LIST" else "p"
    rules = (
        Rule(And(Atom(point, ("v",)), Atom(edge, ("v", "w"))), Not(Atom(point, ("w",)))),
        Rule(Exists("v", And(Atom(point, ("v",)), Not(Equal("v", "w")))), Not(Atom(edge, ("w", "w")))),
        Rule(Atom(edge, ("v", "w")), Equal("v", "w")),
    )
    chosen = data.draw(st.lists(st.sampled_from(rules), unique=True, min_size=1))
    result = Coercer(setting.vocabulary, tuple(chosen)).coerce(to_structure(s))
    assert (None if result is None else from_structure(result)) == coerce(s, chosen)
