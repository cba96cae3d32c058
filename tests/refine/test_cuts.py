"""Where a path asks for what is tracked: cuts of interpolants, uses on the path, live ranges; and how that is said."""

from __future__ import annotations

import pytest
import z3
from tests.refine.helpers import BUILD, EXAMPLES, refined, task_of, written

from kleene.cfa.operations import Assume
from kleene.passes.facts.liveness import defined_variables, used_variables
from kleene.paths.interpolation.vocabulary import POINTER, Cell, Defined, Vocabulary
from kleene.paths.interpolation.written import formula_text as in_c
from kleene.refine.loop import SAFE
from kleene.refine.rounds import SPOKEN
from kleene.refine.tracking.cuts import LiveRanges, between_uses, unite
from kleene.refine.tracking.definition import Activity, TrackingDefinition

TWICE = (
    BUILD
    + """
int main(void) {
    struct node *a = make();
    struct node *p = a;
    while (p != NULL)
        p = p->next;
    p = a;
    while (p != NULL) {
        assert(p->value == 1);
        p = p->next;
    }
    return 0;
}
"""
)


@pytest.fixture
def result(tmp_path):
    found = refined(written(tmp_path, TWICE))
    assert found.outcome == SAFE
    return found


def test_uses_on_a_path_by_following_it_forwards(result):
    """Against the definition: a location of the path has a value that a later step reads before writing."""
    names = result.abstraction.definition.variables
    assert names
    for one in result.rounds:
        found = between_uses(one.path, names)
        steps = [step.edge for step in one.path.steps]
        for name in names:
            expected = set()
            for k, edge in enumerate(steps):
                for later in steps[k:]:
                    if name in {v.name for v in used_variables(later.label)}:
                        expected.add(edge.source)
                        break
                    if name in {v.name for v in defined_variables(later.label)}:
                        break
            assert set(found.get(name, ())) == expected


def test_interpolants_say_where(result):
    """A variable is tracked at the locations whose interpolants contain it, nowhere else."""
    spoken = [one for one in result.rounds if one.reason.interpolants is not None]
    assert spoken
    for one in spoken:
        interpolants = one.reason.interpolants
        for name, locations in one.reason.where.items():
            cuts = zip(one.path.steps, interpolants.cuts, strict=False)
            mentions = {
                step.edge.source
                for step, cut in cuts
                if name in {p.name for p in [*cut.spoken.pointers, *(p for pair in cut.spoken.aliases for p in pair)]}
            }
            assert mentions <= locations
            assert locations <= {step.edge.source for step in one.path.steps}
    assert any(why == SPOKEN for one in result.rounds for why, _ in one.active)


def test_live_ranges_end_where_a_variable_is_written(tmp_path):
    """The two lives of a pointer are two ranges; locations in neither give nothing."""
    task = task_of(written(tmp_path, TWICE))
    live = task.lifetimes.live
    ranges = LiveRanges(task.cfa, task.lifetimes)
    holder = {v.name: v for vs in live.values() for v in vs}
    heads = [n for n, line in enumerate(TWICE.splitlines(), start=1) if "while (p != NULL)" in line]
    conditions = [e for e in task.cfa.edges if isinstance(e.label, Assume) and e.label.place.line in heads]
    lines = {e.label.place.line: (e.source, {v.name for v in used_variables(e.label)}) for e in conditions}
    (first, names), (second, others) = (lines[head] for head in heads)
    for name, start, other in ((min(names), first, second), (min(others), second, first)):
        around = ranges.around({name: frozenset({start})})[name]
        assert start in around
        assert all(holder[name] in live[location] for location in around)
        assert names != others or other not in around
        for edge in task.cfa.edges:  # closed: the same value is not tracked at one end of a step alone
            if (
                holder[name] not in defined_variables(edge.label)
                and holder[name] in live[edge.source] & live[edge.target]
            ):
                assert (edge.source in around) == (edge.target in around)
    assert ranges.around({min(names): frozenset({task.cfa.entry}), "nobody": frozenset({first})}) == {}


def test_activity_grows():
    some = Activity({"p": frozenset({"1"})})
    more = some.join(frozenset({"p", "q"}), {"p": frozenset({"2"}), "q": frozenset({"2"}), "r": frozenset({"3"})})
    assert more.at == {"p": {"1", "2"}, "r": {"3"}}  # q was tracked wherever it is live, and still is
    assert more.without(some) == {"p": {"2"}, "r": {"3"}}
    assert more.everywhere(frozenset({"p"})).at == {"r": {"3"}}
    assert unite({"p": frozenset({"1"})}, {"p": frozenset({"2"})}) == {"p": {"1", "2"}}
    definition = TrackingDefinition(frozenset({"p", "q"}), frozenset({"p"}), integers=frozenset({"i"}))
    assert definition.only({"q", "i"}) == TrackingDefinition(frozenset({"q"}), integers=frozenset({"i"}))


def test_a_tracked_variable_is_not_tracked_everywhere():
    """In the rounds of the paper's program some variable is asked for at fewer locations than it is live at."""
    result = refined(EXAMPLES / "refine" / "cancel_list_insert_after.c")
    live = result.task.lifetimes.live
    active = result.abstraction.active.at
    assert result.outcome == SAFE
    assert any(
        any(v.name == name for v in live[location]) and location not in locations
        for name, locations in active.items()
        for location in live
    )


def _vocabulary() -> tuple[Vocabulary, dict[str, object]]:
    vocabulary = Vocabulary()
    p, next_, i = Cell(POINTER, "p", 0, 64), Cell(POINTER, "", 0, 64), Cell("number", "i", 0, 32)
    vocabulary.label(next_, "next")
    names = {"p": p, "next": next_, "i": i, "defined": Defined(next_), "freed": "freed"}
    return vocabulary, {name: vocabulary.plain(key) for name, key in names.items()}


def test_formulas_are_written_as_in_c():
    vocabulary, x = _vocabulary()
    following = z3.Select(x["next"], x["p"])
    assert in_c(z3.IntVal(0) == following, vocabulary) == "p->next == NULL"
    assert in_c(z3.Not(following == x["p"]), vocabulary) == "p->next != p"
    assert in_c(z3.Not(x["i"] <= 3), vocabulary) == "i > 3"
    assert in_c(x["i"] == 0, vocabulary) == "i == 0"
    assert in_c(z3.Not(z3.Select(x["freed"], x["p"])), vocabulary) == "!freed(p)"
    assert in_c(z3.Select(x["defined"], following), vocabulary) == "defined(p->next->next)"
    either = z3.Or(x["i"] == 1, z3.And(x["p"] == 0, x["i"] + 1 < 5))
    assert in_c(either, vocabulary) == "i == 1 || (p == NULL && (i + 1) < 5)"
