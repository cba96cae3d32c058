"""The updates that TVLA 3 derives for list reversal (`tvla_reverse.txt`) and ours have the same value
everywhere.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kleene.logic.formula import FALSE
from kleene.transformers.action import Action
from kleene.transformers.differencing import derive

from .model import Batch, tuples
from .notation import formula
from .vocabularies import REVERSE, action, head

ACTIONS = {
    a.name: a
    for a in (
        action("y = NULL", "y(v) = 0"),
        action("t = y", "t(v) = y(v)"),
        action("y = x", "y(v) = x(v)"),
        action("x = x->n", "x(v) = E(v_1) x(v_1) & n(v_1, v)"),
        action("y->n = NULL", "n(v_1, v_2) = n(v_1, v_2) & !y(v_1)"),
        action("y->n = t", "n(v_1, v_2) = n(v_1, v_2) | y(v_1) & t(v_2)"),
    )
}


def facts() -> dict[tuple[str, str], dict[str, str]]:
    text = Path(__file__).with_name("tvla_reverse.txt").read_text()
    result: dict[tuple[str, str], dict[str, str]] = {}
    for line in text.splitlines()[1:]:
        if " | " in line and " = (" not in line and not line.startswith(("update", "delta")):
            name, _, predicate = line.partition(" | ")
            current = result.setdefault((name, head(predicate)[0]), {})
        elif line:
            key, _, value = line.partition(" = ")
            current[key] = value
    return result


def random_batch(size: int, count: int = 4000) -> Batch:
    """Three-valued structures with arbitrary values, summary nodes and maybe-active nodes."""
    rng = random.Random(size)
    batch = Batch(count, list(range(size)), {})
    for p in REVERSE.declared:
        for nodes in tuples(batch, p.arity):
            must, unknown = rng.getrandbits(count), rng.getrandbits(count) & rng.getrandbits(count)
            batch.values[p.name, nodes] = (must & ~unknown, must | unknown)
    for u in batch.nodes:
        batch.values["sm", (u,)] = (0, rng.getrandbits(count))
        batch.values["ac", (u,)] = (rng.getrandbits(count) | rng.getrandbits(count), batch.all)
    return batch


@pytest.mark.parametrize("name", ACTIONS)
def test_same_values_as_tvla(name: str) -> None:
    derivation = derive(ACTIONS[name], REVERSE)
    derived = {u.predicate: u for u in derivation.updates if u.method != "identity"}
    expected = {predicate: fact for (a, predicate), fact in facts().items() if a == name}
    assert derived.keys() == expected.keys()
    for size in (1, 2, 3):
        evaluate = random_batch(size).evaluator()
        for predicate, fact in expected.items():
            u = derived[predicate]
            for key, ours in (("update", u.formula), ("delta+", u.plus), ("delta-", u.minus)):
                theirs = formula(fact[key])
                if theirs is FALSE:
                    assert ours is FALSE
                for nodes in tuples(evaluate.batch, len(u.args)):
                    env = dict(zip(u.args, nodes, strict=True))
                    assert evaluate(ours, env) == evaluate(theirs, env), (name, predicate, key, nodes)


def test_methods_and_cycle_message() -> None:
    derivation = derive(ACTIONS["y->n = t"], REVERSE)
    methods = {u.predicate: u.method for u in derivation.updates}
    assert methods["t[n]"] == "unit closure addition"
    (message,) = derivation.action.messages
    assert message.text == "Closed cycle for acyclic predicate n"
    wanted = formula("E(a) y(a) & (E(b) t(b) & !n(a, b) & t[n](b, a))")
    evaluate = random_batch(3).evaluator()
    assert evaluate(message.condition) == evaluate(wanted)
    removal = derive(ACTIONS["y->n = NULL"], REVERSE)
    assert {u.predicate: u.method for u in removal.updates}["t[n]"] == "unit closure removal"
    assert removal.action.messages == ()


def test_nothing_to_derive_for_a_skip() -> None:
    skip = Action("skip")
    assert derive(skip, REVERSE).action == skip
