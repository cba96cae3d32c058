"""Functions that link what they get unless the object is full, and say so: the caller keeps it then.

Such a function had no reading: what it does not link was lost in one, and shared in the other.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.inferences import inferred_of
from tests.library.mutants import checked, error_of
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.readings.operations import Outcome
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_SECONDS = 40.0
_QUEUE = """
#include <stdlib.h>
struct job { struct job *next; int id; };
struct queue { struct job *first; unsigned n, most; };
struct queue *queue_new(unsigned most) {
    struct queue *q = malloc(sizeof *q);
    if (q) { q->first = NULL; q->n = 0; q->most = most; }
    return q;
}
struct job *job_new(int id) {
    struct job *j = malloc(sizeof *j);
    if (j) { j->next = NULL; j->id = id; }
    return j;
}
void job_free(struct job *j) { free(j); }
int queue_put(struct queue *q, struct job *j) {
    if (q->n >= q->most) return FULL;
    j->next = q->first; q->first = j; q->n++;
    return LINKED;
}
struct job *queue_get(struct queue *q) {
    struct job *j = q->first;
    if (j) { q->first = j->next; q->n--; j->next = NULL; }
    return j;
}
void queue_free(struct queue *q) {
    struct job *j;
    while ((j = queue_get(q))) job_free(j);
    free(q);
}
"""
_NEGATIVE = _QUEUE.replace("FULL", "-1").replace("LINKED", "0")
_BOOLEAN = _QUEUE.replace("FULL", "0").replace("LINKED", "1")
_WRONG = {
    "it is freed where it is not linked": _NEGATIVE.replace("return -1;", "{ free(j); return -1; }"),
    "it is linked and the caller keeps it": _NEGATIVE.replace("q->n++;\n    return 0", "q->n++;\n    return -1"),
    "it is lost": _BOOLEAN.replace("if (q->n >= q->most) return 0;", "if (q->n >= q->most) return 1;"),
}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [(_NEGATIVE, Outcome.ZERO_IF_GIVEN), pytest.param(_BOOLEAN, Outcome.SET_IF_GIVEN, marks=in_exam)],
    ids=["negative", "boolean"],
)
def test_the_caller_keeps_what_is_not_linked(text: str, outcome: Outcome, tmp_path: Path) -> None:
    inferred = inferred_of(text, tmp_path)
    outcomes = {o.function.name: o.outcome for o in inferred.accepted}
    assert outcomes["queue_put"] is outcome
    assert outcomes["queue_get"] is Outcome.NEW
    assert not inferred.untried


@in_exam
def test_they_are_proved(tmp_path: Path) -> None:
    """The client calls the functions rightly, and its objects satisfy the invariants, as compiled runs show."""
    file = tmp_path / "library.c"
    file.write_text(_NEGATIVE, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert report.verdict is Verdict.TRUE
    assert error_of(report.client, file, tmp_path) == ""
    for record, facts in report.invariants.items():
        assert error_of(checked(report.client, f"{record.split()[1]}_1", facts), file, tmp_path) == ""
    broken = tmp_path / "broken.c"
    broken.write_text(_WRONG["it is freed where it is not linked"], encoding="utf-8")
    assert error_of(report.client, broken, tmp_path)


@pytest.mark.parametrize("name", [pytest.param(n, marks=in_exam if i else ()) for i, n in enumerate(_WRONG)])
def test_the_number_excuses_no_error(name: str, tmp_path: Path) -> None:
    text = _WRONG[name]
    assert text not in (_NEGATIVE, _BOOLEAN)
    inferred = inferred_of(text, tmp_path)
    assert "queue_put" not in {o.function.name for o in inferred.accepted}
