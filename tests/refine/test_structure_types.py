"""Programs with several structure types: each has its own samples, enabled generators and FineTune."""

from __future__ import annotations

import json

import pytest
from tests.refine.helpers import EXAMPLES, refined, task_of, written

from kleene.analysis.c.refinement import RefineSettings, refine
from kleene.c.reader import read_program
from kleene.cli import run_main
from kleene.passes.preparation import Prepared
from kleene.refine.certificate import abstraction_document, abstraction_of, graphs_of, problems_of
from kleene.refine.classes.library import library
from kleene.refine.enabled import hint_for
from kleene.refine.loop import GAVE_UP, SAFE, RefineOptions
from kleene.report.check.refinement_text import refinement_lines

TWO_LISTS = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct item { struct item *next; int value; };
struct cell { struct cell *next, *prev; };
int main(void) {
    struct item *stack = NULL;
    struct cell *head = NULL;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct item *i = malloc(sizeof *i);
            if (!i) abort();
            i->next = stack; i->value = 1;
            stack = i;
        } else {
            struct cell *c = malloc(sizeof *c);
            if (!c) abort();
            c->next = head; c->prev = NULL;
            if (head) head->prev = c;
            head = c;
        }
    }
    for (struct cell *p = head; p && p->next; p = p->next)
        assert(p->next->prev == p);
    while (stack) { struct item *n = stack->next; free(stack); stack = n; }
    while (head) { struct cell *n = head->next; free(head); head = n; }
    return 0;
}
"""


@pytest.fixture(scope="module")
def two_lists(tmp_path_factory):
    return refined(written(tmp_path_factory.mktemp("two_lists"), TWO_LISTS))


def names_of(result):
    return {str(generator.structure): generator.name for generator in result.abstraction.generators}


def test_members_of_the_same_name_are_apart(tmp_path):
    """Both types have `next`; one predicate for both made a list and a doubly linked list one structure."""
    memory = task_of(written(tmp_path, TWO_LISTS)).memory
    cells = {str(structure): structure.cells for structure in memory.structure_types}
    assert cells.keys() == {"cell", "item"}
    assert not cells["cell"] & cells["item"]
    assert [{cell.partition("@")[0] for cell in own} for own in cells.values()] == [{"next", "prev"}, {"next"}]


def test_two_lists_have_two_generators(two_lists):
    result = two_lists
    assert result.outcome == SAFE
    assert names_of(result) == {"item": "sll", "cell": "dll"}
    text = "\n".join(refinement_lines(result))
    for words in ("structure type:  cell", "cell: dll with cancellation", "item: sll"):
        assert words in text


def test_plain_check_follows_each_type(capsys, tmp_path):
    """The list was one more branch of the tree: more than 200,000 structures."""
    assert run_main(["check", str(EXAMPLES / "refine" / "list_and_tree.c"), "--property", "assert"]) == 0
    assert "TRUE    shape analysis" in capsys.readouterr().out


def test_a_list_and_a_tree():
    result = refined(EXAMPLES / "refine" / "list_and_tree.c")
    assert result.outcome == SAFE
    assert names_of(result) == {"cell": "dll", "tree": "tree"}


def test_a_certificate_of_two_types(two_lists):
    """It is checked from scratch; with the generators of the types exchanged it is refused."""
    result = two_lists
    types = result.task.memory.structure_types
    document = json.loads(json.dumps(abstraction_document(result.abstraction)))
    again = abstraction_of(document, library(), types)
    assert again == result.abstraction
    assert problems_of(result.task, again, graphs_of(result.tree)) == []
    document["generators"].reverse()
    with pytest.raises(Exception, match="structure types differ"):
        abstraction_of(document, library(), types)


def test_linked_types_are_refined_by_record():
    """No data structure of the library fits people and accounts together."""
    prepared = Prepared(read_program([str(EXAMPLES / "refine" / "linked_types.c")]))
    result = refine(prepared, ["assert"], RefineSettings(), malloc_may_fail=True, seconds=60)
    assert result.outcome == SAFE
    assert result.task.by_record
    assert names_of(result) == {"person": "sll", "links": "links"}


def test_a_mixed_structure_is_given_up_as_a_whole():
    result = refined(EXAMPLES / "refine" / "linked_types.c")
    assert (result.outcome, result.mixed) == (GAVE_UP, True)


def test_hints_by_type():
    task = task_of(EXAMPLES / "refine" / "list_and_tree.c")
    first, second = task.memory.structure_types
    assert [hint_for("cell=dll,tree=tree", t) for t in (first, second)] == ["dll", "tree"]
    assert [hint_for("tree=tree", t) for t in (first, second)] == [None, "tree"]
    assert [hint_for("sll", t) for t in (first, second)] == ["sll", "sll"]


def test_a_hint_binds(tmp_path):
    """With the hint sll no doubly linked list is tried, so that the assertion on `prev` is not proved."""
    result = refined(written(tmp_path, TWO_LISTS), options=RefineOptions(hint="sll", max_rounds=6))
    assert result.outcome == GAVE_UP
    tried = {trial.generator.name for one in result.rounds for trial in one.trials}
    assert tried <= {"sll"}
