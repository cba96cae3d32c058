"""The loop: from nothing to a proof, a real error, or a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.refine.helpers import BUILD, EXAMPLES, refined, written

from kleene.analysis.c.refinement import RefineSettings, refine
from kleene.c.reader import read_program
from kleene.core.verdict import DEFAULT_PROPERTIES
from kleene.passes.preparation import Prepared
from kleene.refine.certificate import graphs_of, problems_of
from kleene.refine.classes.finetune import (
    SIMULATION_STRUCTURES,
    WHOLE,
    Answer,
    fine_tune,
    sequential,
    simulate,
    simulate_tree,
)
from kleene.refine.classes.generators import Lattice, Roles
from kleene.refine.classes.library import built_in
from kleene.refine.classes.parallel import parallel
from kleene.refine.loop import GAVE_UP, SAFE, UNSAFE, Refined, RefineOptions
from kleene.refine.model import Abstraction, Models
from kleene.refine.rounds import SAMPLING, SHAPE_CLASS, TRACKING
from kleene.refine.tracking.definition import NOTHING, TrackingDefinition
from kleene.report.check.refinement_text import refinement_lines

LAST = (
    BUILD
    + """
int main(void) {
    struct node *list = make(), *p = list;
    while (p != NULL && p->next != NULL)
        p = p->next;
    if (p != NULL)
        assert(p->next == NULL);
    return 0;
}
"""
)
WRONG = (
    BUILD
    + """
int main(void) {
    struct node *list = make();
    int n = 0;
    for (struct node *p = list; p != NULL; p = p->next)
        n = 1;
    if (list != NULL && list->next != NULL)
        assert(list->next->next == NULL);
    return n;
}
"""
)


def test_starts_from_nothing_and_proves(tmp_path):
    result = refined(written(tmp_path, LAST))
    assert result.outcome == SAFE
    first = result.rounds[0]
    assert first.abstraction.definition == NOTHING
    assert first.abstraction.generator.entry is None
    assert result.counts.tracking >= 1
    assert TRACKING in first.kinds
    assert "next" in result.abstraction.definition.fields
    for earlier, later in zip(result.rounds, result.rounds[1:], strict=False):
        assert later.abstraction.definition.refines(earlier.abstraction.definition)


def test_a_real_error_is_found_with_its_inputs(tmp_path):
    result = refined(written(tmp_path, WRONG))
    assert result.outcome == UNSAFE
    assert result.rounds[-1].reason.inputs


def test_the_paper_s_first_row():
    """Sampling finds the doubly linked list, and cancellation is the family that the proof needs."""
    result = refined(EXAMPLES / "refine" / "cancel_list_link.c")
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == "dll"
    assert result.abstraction.generator.families == {"cancellation"}
    kinds = [kind for one in result.rounds for kind in one.kinds]
    assert SAMPLING in kinds
    assert SHAPE_CLASS in kinds
    assert any(look.samples is not None and look.samples.enough for one in result.rounds for look in one.looks)
    text = "\n".join(refinement_lines(result))
    for words in ("explicit heaps", "now tracked too", "rules the path out", "certificate", "interpolants"):
        assert words in text


def test_acyclicity_needs_the_forward_pointer_only():
    """As in the paper's Table 1: a shape class for singly linked lists is enough."""
    result = refined(EXAMPLES / "refine" / "acyclic_list_link.c")
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == "sll"
    assert result.abstraction.generator.roles.unused == {"pred"}


def test_a_hint_replaces_the_samples():
    result = refined(EXAMPLES / "refine" / "cancel_list_link.c", options=RefineOptions(hint="dll"))
    assert result.outcome == SAFE
    assert all(look.samples is None for one in result.rounds for look in one.looks)


@pytest.mark.parametrize(
    "options,reason",
    [
        (RefineOptions(max_rounds=1), "no proof in 1 rounds"),
        (RefineOptions(max_structures=30), "more than 30 structures"),
    ],
)
def test_limits_give_a_reason_and_keep_the_abstraction(tmp_path, options, reason):
    result = refined(written(tmp_path, LAST), options=options)
    assert result.outcome == GAVE_UP
    assert reason in result.reason
    assert "last abstraction" in "\n".join(refinement_lines(result))


def test_giving_up_names_what_is_missing(tmp_path):
    """An invariant about numbers that no shape class of the library has."""
    text = (
        BUILD.replace("n->value = 1", "n->value = list ? list->value + 2 : 0")
        + """
    int main(void) {
        struct node *list = make();
        while (list) { assert(list->value % 2 == 0); list = list->next; }
        return 0;
    }
    """
    )
    result = refined(written(tmp_path, text), options=RefineOptions(max_rounds=25))
    assert result.outcome != SAFE
    assert "no shape class in the library separates" in result.reason
    assert "nearest:" in result.reason


# Certificates -------------------------------------------------------------------------------------------------------


def test_a_certificate_is_checked_from_scratch(tmp_path):
    result = refined(written(tmp_path, LAST))
    graphs = graphs_of(result.tree)
    assert problems_of(result.task, result.abstraction, graphs) == []
    location = max(graphs, key=lambda name: len(graphs[name]))
    less = {**graphs, location: graphs[location][1:]}
    assert "not covered" in problems_of(result.task, result.abstraction, less)[0]
    more = replace(result.task, kinds=result.task.kinds | {"memory_cleanup"})
    assert "an error is possible" in problems_of(more, result.abstraction, graphs)[-1]


# FineTune -----------------------------------------------------------------------------------------------------------


def test_simulation_along_a_path():
    """Before the last round of the first row the path is not ruled out, after it it is."""
    result = refined(EXAMPLES / "refine" / "cancel_list_link.c")
    last = result.rounds[-1]
    assert SHAPE_CLASS in last.kinds
    models = Models(result.task)
    assert simulate(models.of(result.abstraction), last.path).rules_out is True
    assert simulate_tree(models.of(last.abstraction), last.path, whole=True).rules_out is False
    assert simulate_tree(models.of(result.abstraction), last.path, whole=True).rules_out is True
    nothing = Abstraction(NOTHING, (Lattice((), {}).coarsest,))
    assert simulate(models.of(nothing), last.path).rules_out is False
    pair = [last.abstraction.generator, result.abstraction.generator]
    one = sequential(models, result.abstraction, last.path, level=WHOLE)(pair, SIMULATION_STRUCTURES)
    assert one == parallel(models, result.abstraction, last.path, level=WHOLE)(pair, SIMULATION_STRUCTURES)
    assert [answer.rules_out for answer in one] == [False, True]


@pytest.mark.parametrize("name", ["create", "splice"])
def test_a_proof_holds_though_an_operation_was_merged_in_its_middle(name):
    """The check compared nodes by name: a graph of the check that three graphs of the proof embed was not covered."""
    result = refined(EXAMPLES / "dll" / f"{name}.c", "memsafety")
    assert result.outcome == SAFE
    graphs = graphs_of(result.tree)
    assert problems_of(result.task, result.abstraction, graphs) == []
    some = max(graphs, key=lambda location: len(graphs[location]))
    less = {**graphs, some: [g for g in graphs[some] if g.size < 3]}
    assert "not covered" in problems_of(result.task, result.abstraction, less)[0]


@pytest.mark.parametrize("wanted", [{"cancellation"}, {"reachability"}, {"sharing", "cancellation"}, set(), None])
@pytest.mark.parametrize("width", [1, 2])
def test_fine_tune_finds_the_coarsest(wanted, width):
    """Against an oracle: a generator rules the path out iff it has the wanted families."""
    entries = [e for e in built_in() if e.name in ("sll", "dll")]
    lattice = Lattice(entries, {"sll": Roles(), "dll": Roles()})
    tested = []

    def test(generators, most):
        assert most <= SIMULATION_STRUCTURES
        tested.extend(generators)
        return [Answer(wanted is not None and wanted <= g.families, 1 + len(g.families), most) for g in generators]

    current = lattice.least("dll")
    found = fine_tune(lattice, current, lattice.generators, test, width)
    assert len(set(tested)) == len(tested) < len(lattice.of_entry("dll"))
    if wanted is None:
        assert found.chosen is None
    else:
        assert found.chosen.families == (wanted or found.chosen.families)
        assert len(found.chosen.families) == max(1, len(wanted))


def test_a_simulation_that_is_too_large_says_nothing_about_coarser_generators():
    """Those were left out, so that a rotation at an inner node of a tree with parents was not proved."""
    lattice = Lattice([e for e in built_in() if e.name in ("tree", "treep")], {"tree": Roles(), "treep": Roles()})
    wanted = {"cancellation", "sharing", "children"}

    def test(generators, most):
        assert most == 9_000 or most < 100
        small = [g.families <= {*wanted, "fields"} for g in generators]
        return [
            Answer(wanted <= g.families, 1 + len(g.families), 50) if fits else Answer(rules_out=False)
            for g, fits in zip(generators, small, strict=True)
        ]

    current = next(g for g in lattice.of_entry("treep") if g.families == {"cancellation", "children"})
    tuned = fine_tune(lattice, current, lattice.of_entry("treep"), test, 1, largest=9_000)
    assert tuned.chosen is not None
    assert tuned.chosen.families == wanted


def test_tracking_definitions_are_ordered():
    small = TrackingDefinition(frozenset({"x"}), frozenset({"x"}), frozenset({"next"}))
    other = TrackingDefinition(frozenset({"y"}), frozenset(), frozenset(), frozenset({8}))
    both = small.join(other)
    assert both.refines(small)
    assert both.refines(other)
    assert not small.refines(other)
    assert small.refines(NOTHING)
    assert both.without(small) == other
    with pytest.raises(ValueError, match="separating"):
        TrackingDefinition(frozenset(), frozenset({"x"}))


def test_a_leak_whose_last_step_depends_on_an_input_is_a_reason_and_no_crash():
    """The interpreter's `Split` escaped from the interpolants of a leak at a branch on an input."""
    result = refined(EXAMPLES / "nested" / "list_of_lists.c", "memsafety")
    assert result.outcome == SAFE, result.reason
    assert {"below", "cells", "right"} <= result.abstraction.definition.fields  # types of one size, told apart


def test_a_list_that_is_a_ring_for_a_while():
    """No sample shows the cycle that `last->next = first` closes; the error of the analysis does."""
    result = refined(EXAMPLES / "sll" / "rotate.c", "memsafety")
    assert result.outcome == SAFE, result.reason
    assert result.abstraction.generator.name == "clist"


def test_samples_start_at_variables_that_are_nodes():
    result = refined(EXAMPLES / "circular" / "sentinel.c", "memsafety", options=RefineOptions(max_rounds=1))
    assert "cdll" in result.rounds[0].looks[0].recognised.fitting


def test_a_path_that_ends_before_its_first_step_is_no_crash(tmp_path):
    """The interpolants of a case without any state were an IndexError: a static variable is NULL before the path."""
    text = (
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node { int data; struct node *next; };\n"
        "static struct node *make(int d, struct node *x) { struct node *p = malloc(sizeof *p); if (!p) abort();\n"
        "p->data = d; p->next = x; return p; }\n"
        "int main(void) { static struct node *keep; if (!keep) keep = make(1, NULL);\n"
        "struct node *q = keep; free(keep);\n"
        "if (__VERIFIER_nondet_int()) keep = NULL; if (keep) keep->data = 1; (void)q; return 0; }\n"
    )
    prepared = Prepared(read_program([str(written(tmp_path, text))]))
    result = refine(prepared, DEFAULT_PROPERTIES, RefineSettings(), malloc_may_fail=False, seconds=20)
    assert isinstance(result, Refined)
    assert result.outcome != SAFE
