"""What a certificate says of the task: conditions are read back, forged ones refused, flags choose the automaton."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.refine.helpers import refined, task_of, written
from tests.refine.test_cell_conditions import EQUAL, WHICH, condition_on, listing
from tests.refine.test_certificates import accepts, signed

from kleene.analysis.c.certificates import _Check, digest_of, recheck
from kleene.analysis.c.options import CheckOptions
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.expressions import Binary, Cast, Unary
from kleene.cfa.types import INT
from kleene.cli import run_main
from kleene.diagnostics import InputError, Limit, LimitReached
from kleene.refine.certificate import (
    abstraction_document,
    abstraction_of,
    conditions_document,
    conditions_from,
    graphs_of,
    problems_of,
)
from kleene.refine.classes.generators import Generator, Roles
from kleene.refine.classes.library import library
from kleene.refine.conditions.cells import CellCondition, own_member
from kleene.refine.conditions.linear import Condition, condition_of
from kleene.refine.enabled import NO_STRUCTURE
from kleene.refine.loop import SAFE
from kleene.refine.model import Abstraction, Task
from kleene.refine.tracking.definition import Activity, TrackingDefinition

from .test_certificate_data import LIST, abstraction, document, sample

SHAPES = Path(__file__).parent.parent.parent / "src" / "kleene" / "shapes"
NUMBERS = listing(EQUAL + " int i = __VERIFIER_nondet_int(), j = i + 1; if (i < 5) j = 2;", "", "p->a == p->b")


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return task_of(written(tmp_path_factory.mktemp("task"), NUMBERS))


def plain(task: Task, constant: int, *, equal: bool) -> Condition:
    first, second, *_ = sorted(task.memory.integers, key=lambda v: v.name)
    return Condition(((first, 1), (second, -2)), constant, equal)


def of(conditions: list[Condition | CellCondition], task: Task) -> list[dict[str, Any]]:
    document = conditions_document(task.with_conditions(conditions))
    assert json.loads(json.dumps(document)) == document
    return document


def test_conditions_are_read_back(task: Task) -> None:
    conditions = [
        plain(task, 3, equal=True),
        condition_on(task, "==", 0),
        plain(task, -1, equal=False),
        condition_on(task, "<=", 2),
    ]
    mixed = Binary("^", own_member("a", INT), Unary("~", own_member("b", INT), INT), INT)
    bits = condition_of("==", mixed, Cast(own_member("b", INT), INT))
    assert bits is not None
    conditions.append(CellCondition(condition_on(task, "==", 0).record, bits, (0, 4)))
    for some in ([], conditions[:1], conditions[1:2], conditions):
        assert conditions_from(of(some, task), task) == some


def changed(document: dict[str, Any], **values: object) -> dict[str, Any]:
    return {**document, **values}


@pytest.mark.parametrize("on_members", [False, True])
def test_conditions_that_are_none(task: Task, on_members: bool) -> None:
    condition = condition_on(task, "==", 0) if on_members else plain(task, 3, equal=True)
    (document,) = of([condition], task)
    (name, _), other = document["terms"]
    for values in (
        {"terms": []},
        {"terms": [[name, True], other]},
        {"terms": [[name, 1.0], other]},
        {"terms": [[name, "1"], other]},
        {"constant": False},
        {"constant": 0.5},
        {"constant": None},
    ):
        with pytest.raises(TypeError):
            conditions_from([changed(document, **values)], task)
    for values in ({"terms": [["nothing", 1], other]}, {"terms": [other, ["nothing", 1]]}, {"equal": 1}):
        with pytest.raises(InputError, match="variables that the program does not have"):
            conditions_from([changed(document, **values)], task)
    for document_of_none in ((document,), {"0": document}, "x"):
        with pytest.raises(TypeError):
            conditions_from(document_of_none, task)  # type: ignore[arg-type]


def test_a_condition_on_a_struct_about_none_of_its_members_is_refused(tmp_path: Path) -> None:
    task = task_of(written(tmp_path, listing(EQUAL, "int x = 0, y = 0; if (x < y) return 0;", "p->a == p->b")))
    (document,) = of([condition_on(task, "==", 0)], task)
    x, y = sorted(v.name for v in task.memory.integers if v.name in ("x", "y"))
    with pytest.raises(InputError, match="about none of its members"):
        conditions_from([changed(document, terms=[[x, 1], [y, -1]])], task)


def test_a_condition_on_members_that_are_written_unseen_is_refused(tmp_path: Path) -> None:
    """Its ghosts would not follow the write by a pointer to the member."""
    seen = task_of(written(tmp_path, listing(EQUAL, "", "p->a == p->b")))
    document = of([condition_on(seen, "==", 0)], seen)
    unseen = task_of(written(tmp_path, listing(EQUAL, WHICH, "p->a == p->b")))
    with pytest.raises(InputError, match="writes unseen"):
        conditions_from(document, unseen)
    with pytest.raises(InputError, match="variables that the program does not have"):
        conditions_from([changed(document[0], record="struct other")], seen)


def test_all_families_of_a_shape_are_among_its_own() -> None:
    for entry in library():
        roles = Roles(**dict.fromkeys(("forward", "back", "circular", "looping", "unused"), frozenset()))
        generator = Generator(entry, frozenset(f.name for f in entry.families), roles, LIST)
        nothing = TrackingDefinition(frozenset(), frozenset(), frozenset(), frozenset(), frozenset())
        made = Abstraction(nothing, (generator,), Activity({}))
        assert abstraction_of(abstraction_document(made), library(), [LIST]).generators == (generator,)


def test_structure_types_of_another_program_are_refused() -> None:
    """Also where they have the same members."""
    written_out = abstraction_document(abstraction())
    assert abstraction_of(written_out, library(), [LIST]).generators
    for others in ([], [replace(LIST, name="other")], [LIST, LIST]):
        with pytest.raises(InputError, match="its structure types differ"):
            abstraction_of(written_out, library(), others)


@pytest.mark.parametrize("role", ["forward", "back", "circular", "looping", "unused"])
def test_members_of_another_struct_are_refused(role: str) -> None:
    written_out = abstraction_document(abstraction(**{role: frozenset({"next", "other"})}))
    with pytest.raises(InputError, match="other fields"):
        abstraction_of(written_out, library(), [LIST])


def test_a_program_without_structs_has_one_generator() -> None:
    made = abstraction()
    (generator,) = made.generators
    made = replace(made, generators=(replace(generator, structure=NO_STRUCTURE),))
    assert abstraction_of(abstraction_document(made), library(), []).generators == made.generators


def test_a_program_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def result(*_: object) -> None:
        raise LimitReached("too large", Limit.SIZE)

    monkeypatch.setattr(_Check, "result", result)
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(document()), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be prepared as it was for the proof: too large"):
        recheck(str(path))


def test_graphs_are_those_of_the_program(tmp_path: Path) -> None:
    result = refined(written(tmp_path, listing("n->a = n->b = 0;", "", "p")))
    assert result.outcome == SAFE and result.tree is not None
    graphs = graphs_of(result.tree)
    assert problems_of(result.task, result.abstraction, graphs) == []
    place, own = next((place, own) for place, own in graphs.items() if own)
    (problem,) = problems_of(result.task, result.abstraction, {**graphs, place: [*own, sample()]})
    assert problem == f"the graphs at {place} have other predicates than the program"
    (problem,) = problems_of(result.task, result.abstraction, {**graphs, "nowhere": own})
    assert problem == "there is no location nowhere in the program"
    assert problems_of(result.task, result.abstraction, {**graphs, place: []})


ENDLESS = """
#include <stdlib.h>
#include <assert.h>
struct pair { int a, b; };
int main(void) {
    struct pair *p = malloc(sizeof *p);
    while (!p) ;
    p->a = 0;
    for (;;) assert(p->a == 0);
}
"""


def test_locations_without_graphs_are_left_out(tmp_path: Path) -> None:
    result = refined(written(tmp_path, ENDLESS))
    assert result.outcome == SAFE and result.tree is not None
    graphs = graphs_of(result.tree)
    assert graphs.keys() < result.tree.stores.keys() and all(graphs.values())
    assert problems_of(result.task, result.abstraction, graphs) == []


def test_properties_are_a_list() -> None:
    with pytest.raises(InputError, match="must be a list"):
        _Check("c", {"asked": {"memsafety": 1}})._properties("asked")


def test_the_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": {"c": 2, "d": 3}}) == digest_of({"b": {"d": 3, "c": 2}, "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})


FLAGS = {"whole_scope": False, "images": False, "by_record": False, "conditions": []}
SORTED = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (!a || !b) exit(1);
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x > y) exit(0);
    a->data = x; a->next = b; b->data = y; b->next = NULL;
    assert(a->data <= a->next->data);
    free(a); free(b);
    return 0;
}
"""


def test_flags_choose_the_automaton(tmp_path: Path) -> None:
    program = read_program([str(written(tmp_path, SORTED))])

    def made(proved: tuple[str, ...], **flags: object) -> Task:
        return _Check("c", {**FLAGS, **flags})._task(program, proved, CheckOptions(proved, ReadOptions()))

    for whole in (False, True):
        for record in (False, True):
            task = made(("memsafety",), whole_scope=whole, by_record=record)
            assert (task.whole_scope, task.by_record, task.images) == (whole, record, False)
    task = made(("assert",), images=True)
    assert (task.images, task.malloc_may_fail) == (True, True)
    assert not made(("assert",)).images
    with pytest.raises(InputError, match="in the way that the certificate names"):
        made(("assert",), whole_scope=True)  # the automaton for leaks, and none is asked about
    for flag in ("whole_scope", "images", "by_record"):
        for value in (0, "true", None):
            with pytest.raises(InputError, match="neither true nor false"):
                made(("memsafety",), **{flag: value})


def test_no_images_where_no_numbers_are_compared(tmp_path: Path) -> None:
    program = read_program([str(written(tmp_path, "int main(void) { return 0; }"))])
    with pytest.raises(InputError, match="in the way that the certificate names"):
        _Check("c", {**FLAGS, "images": True})._task(program, ("assert",), CheckOptions(("assert",), ReadOptions()))


CALLED = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
void reach_error(void) { }
int main(void) {
    struct node *list = NULL, *n;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        list = n;
    }
    reach_error();
    while (list) { n = list->next; free(list); list = n; }
    return 0;
}
"""


def test_what_was_not_asked_for_is_not_proved(tmp_path: Path) -> None:
    """Read without the property, a call of reach_error is the call of an ordinary function."""
    program, path = written(tmp_path, CALLED), tmp_path / "proof.json"
    assert run_main(["check", str(program), "--property", "memsafety", "--refine", "--certificate", str(path)]) == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    assert accepts(tmp_path, signed(document))
    assert not accepts(tmp_path, signed({**document, "properties": ["memsafety", "unreach"]}))
    assert not accepts(tmp_path, signed({**document, "properties": ["unreach"]}))


def test_a_shape_of_one_s_own_must_be_given_again(tmp_path: Path) -> None:
    """The proof rests on it: without the file, or with another one, the certificate is refused."""
    own = tmp_path / "own.scg"
    known = (SHAPES / "sll.scg").read_text(encoding="utf-8")
    own.write_text(known.replace("%shape sll", "%shape mine"), encoding="utf-8")
    program, path = written(tmp_path, CALLED), tmp_path / "proof.json"
    chosen = ["--shapes", str(own), "--structure-hint", "mine", "--certificate", str(path)]
    assert run_main(["check", str(program), "--property", "memsafety", *chosen]) == 0
    assert [entry["path"] for entry in json.loads(path.read_text(encoding="utf-8"))["shape_files"]] == [str(own)]
    assert recheck(str(path), shapes=[str(own)]).problems == ()
    with pytest.raises(InputError, match="shape classes of your own: give --shapes"):
        recheck(str(path))
    own.write_text(own.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not the file that was proved"):
        recheck(str(path), shapes=[str(own)])
