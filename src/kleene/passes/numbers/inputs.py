"""Numbers from outside that never change: ``if (argc > 1) f = fopen(argv[1], "r");``.

A test by order that one number alone decides is written as an equation with it: `argc` is at least 1, so that
``argc > 1`` is ``argc != 1``. The shape analysis tells apart which constant a number is, so that later tests have the
same outcome.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, DeclareLocal, EndScope, Havoc, Operation, address_taken
from kleene.passes.facts.intervals import Intervals, interval_of
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.numbers.signs import equation_of, test_of


def with_tests_of_inputs(cfa: Cfa[Operation], intervals: Intervals) -> Cfa[Operation]:
    """The automaton with equations for such tests; the intervals are those of the same automaton."""
    inputs = _inputs(cfa)

    def change(edge: Edge[Operation]) -> Edge[Operation]:
        test = test_of(edge.label)
        if test is None or test.variable not in inputs or edge.source not in intervals.at:
            return edge
        assert isinstance(edge.label, Assume)
        bounds = intervals.of(test.variable, edge.source)
        is_known = bounds != interval_of(test.variable, {})
        return replace(edge, label=equation_of(edge.label, test, bounds)) if is_known else edge

    return Cfa(cfa.entry, tuple(map(change, cfa.edges))) if inputs else cfa


def _inputs(cfa: Cfa[Operation]) -> set[Variable]:
    """The variables that get their only value from outside."""
    labels = [edge.label for edge in cfa.edges if not isinstance(edge.label, DeclareLocal | EndScope)]
    times = Counter(v for label in labels for v in defined_variables(label))
    drawn = {v for label in labels if isinstance(label, Havoc) for v in defined_variables(label)}
    return {v for v in drawn if times[v] == 1 and not v.is_global} - address_taken(labels)
