"""Wrong updates are told apart from the infeasible structures that focus makes (thesis section 8.1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.cfa.graph import Cfa, Edge
from kleene.logic.formula import FALSE, TRUE, Formula, Not
from kleene.report.run.result import INCOMPLETE, MESSAGES, VERIFIED, RunReport
from kleene.structures.tvs_reader import parse_tvs, read_tvs
from kleene.tvp.program import load_program, parse_program

EXAMPLES = Path(__file__).parents[4] / "examples" / "tvp"
ORDERS = ("inner-first", "tvla")
DECLARATIONS = """%p x(v) unique %p y(v) unique %p n(a, b) function
%i r[x](v) = E(u) x(u) & n*(u, v)
%i r[y](v) = E(u) y(u) & n*(u, v)
%%
"""
LIST = "%n = {h, t} %p = { sm = {t:1/2} x = {h} n = {h->t:1/2, t->t:1/2} r[x] = {h, t} }"


def ran(action: str, order: str, tvs: str = LIST) -> RunReport:
    program = parse_program(f"{DECLARATIONS}%action a() {{ {action} }}\n%%\nL a() M")
    return run(prepare(program, RunOptions(order=order)), parse_tvs(tvs, program.vocabulary).structures)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("action", "rule"),
    [
        ("{ y(v) = x(v) r[y](v) = 0 }", "definition of r[y]"),
        ("%f { x(v) } { y(v) = x(v) r[y](v) = 0 }", "definition of r[y]"),
        ("%p E(v) x(v) { x(v) = 1 r[x](v) = 1 }", "(x is unique)"),
        ("%f { E(u) x(u) & n(u, v) } { y(v) = E(u) x(u) & n(u, v) r[y](v) = 0 }", "definition of r[y]"),
        ("%f { E(u) x(u) & n(u, v) } %p x(w) & n(w, z) { y(v) = v == z r[y](v) = 0 }", "definition of r[y]"),
    ],
)  # fmt: skip
def test_a_wrong_update_is_not_verified(action: str, rule: str, order: str) -> None:
    """The structure was dropped, with a warning at most, and the verdict was `verified`."""
    report = ran(action, order)
    assert report.verdict == INCOMPLETE
    assert report.reason is not None and rule in report.reason and "the update of 'a()' (L -> M)" in report.reason


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "action",
    [
        "{ y(v) = x(v) r[y](v) = r[x](v) }",
        # The list without a second cell is infeasible here, and only the update shows that y would reach a cell.
        "%f { E(u) x(u) & n(u, v) } { y(v) = E(u) x(u) & n(u, v) r[y](v) = r[x](v) & !x(v) }",
        # The precondition is 1/2: the structure may represent nothing that satisfies it.
        "%p E(u, v) n(u, v) & n(v, u) & u != v { x(v) = 1 }",
    ],
)
def test_what_focus_or_a_doubtful_precondition_may_cause_is_no_sign(action: str, order: str) -> None:
    assert ran(action, order).verdict == VERIFIED


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("kind", "verdict"), [("", INCOMPLETE), ("function", VERIFIED)])
def test_a_case_of_focus_that_is_a_store_is_blamed_on_the_update(kind: str, verdict: str, order: str) -> None:
    """Without `function` a cell may have two successors, and then x points to both: only one case of focus is wrong."""
    declarations = DECLARATIONS.replace("function", kind)
    action = "%action a() { %f { E(u) x(u) & n(u, v) } { x(v) = E(u) x(u) & n(u, v) } }"
    program = parse_program(f"{declarations}{action}\n%%\nL a() M")
    given = "%n = {h, s, t} %p = { x = {h} y = {s} n = {h->s:1/2, h->t:1/2} r[x] = {h, s:1/2, t:1/2} r[y] = {s} }"
    report = run(prepare(program, RunOptions(order=order)), parse_tvs(given, program.vocabulary).structures)
    assert report.verdict == verdict


LATE = """%action copy() { { y(v) = x(v) r[y](v) = FORMULA } }
%action follow() { %f { E(u) x(u) & n(u, v) } { x(v) = E(u) x(u) & n(u, v) r[x](v) = r[x](v) & !x(v) } }
%action skip() { }
%%
L copy() M
M follow() N
L skip() M2
M2 follow() N2
"""


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("formula", "verdict"), [("x(v)", INCOMPLETE), ("r[x](v)", VERIFIED)])
def test_a_wrong_update_that_only_a_later_focus_shows_is_not_verified(formula: str, verdict: str, order: str) -> None:
    """The second cell is reachable from y = x: the copy stores what represents nothing, and no structure leaves M."""
    program = parse_program(DECLARATIONS + LATE.replace("FORMULA", formula))
    report = run(prepare(program, RunOptions(order=order)), parse_tvs(LIST, program.vocabulary).structures)
    assert report.verdict == verdict
    assert (report.reason is not None and "all structures at M contradict the rules" in report.reason) == (
        verdict == INCOMPLETE
    )


@pytest.mark.parametrize("order", ORDERS)
def test_a_condition_that_never_holds_is_no_dead_end(order: str) -> None:
    """Nothing leaves L because of the precondition: that is no contradiction."""
    assert ran("%f { E(u) x(u) & n(u, v) } %p !(E(v) x(v)) { y(v) = 0 }", order).verdict == VERIFIED


def test_messages_stay_messages() -> None:
    report = ran('%message E(v) x(v) -> "here" { y(v) = x(v) r[y](v) = 0 }', "inner-first")
    assert report.verdict == MESSAGES
    assert any("focus is not the reason" in warning for warning in report.warnings)


@pytest.mark.parametrize("order", ORDERS)
def test_every_wrong_formula_that_leads_to_a_contradiction_is_seen(order: str) -> None:
    """Each update of list reversal is made 0, 1 and its negation; the right program is not blamed."""
    path = EXAMPLES / "sll" / "reverse.tvp"
    program = load_program(path, include=[str(path.parent)])
    given = read_tvs(path.with_suffix(".tvs"), program.vocabulary, include=[str(path.parent)]).structures
    options = RunOptions(order=order, max_structures=2000)
    assert run(prepare(program, options), given).verdict == VERIFIED
    seen = 0
    for action in dict.fromkeys(edge.label for edge in program.cfa.edges):
        for k, update in enumerate(action.updates):
            wrong: tuple[Formula, ...] = (TRUE, FALSE, Not(update.formula))
            for formula in wrong:
                updates = (*action.updates[:k], replace(update, formula=formula), *action.updates[k + 1 :])
                changed = replace(action, updates=updates)
                edges = (Edge(e.source, changed if e.label is action else e.label, e.target) for e in program.cfa.edges)
                analysis = prepare(replace(program, cfa=Cfa(program.cfa.entry, tuple(edges))), options)
                report = run(analysis, given)
                reached = {location.name: location.structures for location in report.locations}
                assert report.verdict != VERIFIED or reached["exit"], f"{action.name}: {update.predicate} = {formula}"
                if analysis.domain.contradictions:
                    assert report.verdict != VERIFIED, f"{action.name}: {update.predicate} = {formula}"
                    seen += 1
    assert seen > 50
