"""Models of conjunctions that grow: the answers are models, and none is missed."""

from __future__ import annotations

import random
from itertools import product

import pytest
import z3

from kleene.paths.formulas.models import Models

NAMES = ("a", "b", "c")
WIDTH = 3
INPUTS = {name: z3.BitVec(name, WIDTH) for name in NAMES}


def _term(chance: random.Random) -> z3.BoolRef:
    """A condition on one or two inputs."""
    x, y = INPUTS[chance.choice(NAMES)], INPUTS[chance.choice(NAMES)]
    right = chance.choice((y, y + chance.randrange(8), z3.BitVecVal(chance.randrange(8), WIDTH)))
    return chance.choice((x == right, x != right, z3.ULT(x, right), x + y == right))


def _possible(terms: list[z3.BoolRef]) -> bool:
    """By enumeration of all values."""
    for values in product(range(1 << WIDTH), repeat=len(NAMES)):
        pairs = [(INPUTS[n], z3.BitVecVal(v, WIDTH)) for n, v in zip(NAMES, values, strict=True)]
        if all(z3.is_true(z3.simplify(z3.substitute(term, *pairs))) for term in terms):
            return True
    return False


@pytest.mark.parametrize("seed", range(12))
def test_a_conjunction_that_grows(seed):
    chance = random.Random(seed)
    models = Models()
    terms: list[z3.BoolRef] = []
    model: dict[str, int] = {}
    for _ in range(5):
        more = [_term(chance) for _ in range(chance.randrange(1, 3))]
        found = models.extend(terms, more, model)
        assert (found is not None) == _possible([*terms, *more])
        if found is None:
            break
        terms += more
        model = found
        assert all(models.holds(term, model) for term in terms)


def test_terms_are_related_over_other_terms():
    a, b, c = INPUTS.values()
    models = Models()
    over, other = a == b, c == 1
    assert models.related_terms([over, b == 2, other], [a == 1]) == [over, b == 2]
    assert models.related_terms([other], [a == 1]) == []


def test_what_the_model_says_already_asks_no_solver():
    models = Models()
    assert models.extend([], [INPUTS["a"] == 0], {}) == {}
    assert models.queries == 0
