"""Rules with the head ``v == v`` say nothing.

They made summary nodes single, as ``v1 == v2`` does, so that a message about two of their nodes was not given.
"""

from __future__ import annotations

import pytest
from tests.oracle.machines import MACHINES, on

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.structures.tvs_reader import parse_tvs
from kleene.tvp.program import parse_program

PROGRAM = """
%p x(v) unique pointer
%p mark(v)
%p n(v1, v2) function
DECLARED
%%
%action mark() { { mark(v) = 1 } }
%action two() {
  %p E(v, w) (mark(v) & mark(w) & v != w & !x(v) & !x(w))
  %message (1) -> "two nodes"
}
%%
L0 mark() L1
L1 two() L2
"""
LIST = "%n = {a, b, c} %p = { x = {a} n = {a->b, b->c} }"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "declared",
    [
        "%r mark(v) & !x(v) ==> v == v",
        "%r n(w, v) ==> v == v",
        "%i any() = E(v) (mark(v) & !(x(v) | v == v))",
    ],
)
def test_summary_nodes_stay_summary_nodes(declared: str, machine: str) -> None:
    with on(machine):
        program = parse_program(PROGRAM.replace("DECLARED", declared))
        given = parse_tvs(LIST, program.vocabulary).structures
        report = run(prepare(program, RunOptions(complete_input=True)), given)
    assert [m.text for place in report.locations for m in place.messages] == ["two nodes"]


def test_a_rule_about_one_node_has_a_warning() -> None:
    program = parse_program(PROGRAM.replace("DECLARED", "%r mark(v) ==> v == v"))
    assert [w.message for w in program.warnings] == ["a rule with the head v == v has no effect"]
