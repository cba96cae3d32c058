"""Unary sorts that partition the nodes (thesis section 8.3), against all small structures."""

from __future__ import annotations

from itertools import product

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.logic.kleene import Kleene
from kleene.structures.tvs_reader import parse_tvs
from kleene.transformers.coerce import Coercer
from kleene.transformers.rules import all_rules
from kleene.tvp.program import parse_program

TEXT = "%p a(v) sort %p b(v) sort %p c(v) sort %% %action s() { } %% L s() M"
VALUES = {"0": Kleene.FALSE, "1/2": Kleene.UNKNOWN, "1": Kleene.TRUE}


def test_coerce_keeps_exactly_the_sorts_that_are_possible() -> None:
    """For every three-valued node: what remains after coerce is the join of the concrete sorts it allows."""
    vocabulary = parse_program(TEXT).vocabulary
    coercer = Coercer(vocabulary, all_rules(vocabulary))
    for given in product(VALUES, repeat=3):
        listed = " ".join(f"{name} = {{u:{value}}}" for name, value in zip("abc", given, strict=True) if value != "0")
        structure = parse_tvs(f"%n = {{u}} %p = {{ {listed} }}", vocabulary).structures[0].structure
        possible = [
            sort
            for sort in range(3)
            if all(value in ("1/2", "1" if k == sort else "0") for k, value in enumerate(given))
        ]
        result = coercer.coerce(structure)
        assert (result is None) == (not possible)
        if result is not None:
            for k, name in enumerate("abc"):
                values = {k == sort for sort in possible}
                expected = Kleene.UNKNOWN if len(values) > 1 else Kleene.TRUE if values.pop() else Kleene.FALSE
                assert result.value(name, 0) is expected


def test_a_new_node_needs_a_sort() -> None:
    """Without an update of a sort there is a warning, and the run is incomplete: the new node contradicts the rules."""
    text = "%p a(v) sort %p b(v) sort %% %action new() {{ %new {updates} }} %% L new() M"
    careless = parse_program(text.format(updates=""))
    assert [w.message for w in careless.warnings] == [
        "the new node has no sort: an update must make one of a, b true for it"
    ]
    careful = parse_program(text.format(updates="{ a(v) = a(v) | isNew(v) }"))
    assert careful.warnings == ()
    for program, verdict in ((careless, "incomplete"), (careful, "verified")):
        given = parse_tvs("%n = {u} %p = { b = {u} }", program.vocabulary).structures
        assert run(prepare(program, RunOptions()), given).verdict == verdict
