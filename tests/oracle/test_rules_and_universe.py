"""Rules that are not checked after a new or a removed node are satisfied there, if they were before."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import FALSE, Atom, Equal, Formula, Not, conj, exists
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.edit import with_new_nodes, without_nodes
from kleene.structures.structure import AC, AC_MAY
from kleene.transformers.action import Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.rule_programs import checked_after_new, checked_after_removal, flatten_rule
from kleene.transformers.rules import all_rules

from .generate import ALL, SETTINGS, formulas
from .machines import on, random_structure

VARIABLES = ("v", "w")
FEW_NODES = (1, 2, 2, 3, 3)


def _coercer(vocabulary: Vocabulary, rule: Rule) -> Coercer:
    with on("python"):
        return Coercer(vocabulary, [rule])


def _satisfied(coercer: Coercer, values: list[int], size: int) -> bool:
    """Whether coerce has nothing to do."""
    given = list(values)
    return coercer.sharpen(given, size, coercer.all) and given == values


def _heads(vocabulary: Vocabulary) -> st.SearchStrategy[Formula]:
    atoms: list[Formula] = [Equal("v", "w")]
    atoms += [Atom(p.name, VARIABLES[: p.arity]) for p in vocabulary.declared if p.arity <= len(VARIABLES)]
    return st.sampled_from([FALSE, *atoms, *(Not(f) for f in atoms)])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_rules(data: st.DataObject) -> None:
    vocabulary = data.draw(SETTINGS).vocabulary
    parts = [data.draw(formulas(vocabulary, free=VARIABLES, depth=2)) for _ in range(2)]
    binary = [p for p in vocabulary.declared if p.arity == 2]
    if binary and data.draw(st.booleans()):  # a positive conjunct makes more rules safe
        parts.append(Atom(binary[0].name, VARIABLES))
    head = data.draw(_heads(vocabulary))
    body = conj(*parts)
    hidden = [v for v in body.free if v not in head.free]
    _check(vocabulary, Rule(exists(hidden, body), head), random.Random(data.draw(st.integers(0, 1 << 30))))


def test_rules_of_the_settings() -> None:
    for setting in ALL:
        for rule in all_rules(setting.vocabulary, setting.rules):
            for seed in range(3):
                _check(setting.vocabulary, rule, random.Random(seed))


def test_what_is_not_checked() -> None:
    """A pointer reaches what its node reaches: a node without edges changes nothing; a node without value may."""
    reaches = Rule(exists(("w",), conj(Atom("x", ("w",)), Atom("t", ("w", "v")))), Atom("r", ("v",)))
    nothing = Rule(Not(exists(("w",), Atom("n", ("v", "w")))), Not(Atom("has", ("v",))))
    total = Rule(Not(Atom("p", ("v",))), Atom("q", ("v",)))
    wants = {reaches: (False, False), nothing: (False, True), total: (True, False)}
    for rule, expected in wants.items():
        parts, _ = flatten_rule(rule)
        assert (checked_after_new(rule, parts), checked_after_removal(rule, parts)) == expected, rule


def _check(vocabulary: Vocabulary, rule: Rule, source: random.Random) -> None:
    parts, _ = flatten_rule(rule)
    arities = [p.arity for p in vocabulary]
    coercer = _coercer(vocabulary, rule)
    for size in FEW_NODES:
        values = list(random_structure(vocabulary, size, source, maybe_active=False).values)
        if not coercer.sharpen(values, size, coercer.all):
            continue
        if not checked_after_new(rule, parts):
            more = with_new_nodes(values, size, arities, 1)
            more[AC] |= 1 << size
            more[AC_MAY] |= 1 << size
            assert _satisfied(coercer, more, size + 1), rule
        if not checked_after_removal(rule, parts):
            for node in range(size):
                fewer, left = without_nodes(values, size, arities, 1 << node)
                assert _satisfied(coercer, fewer, left), rule
