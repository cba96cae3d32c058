"""Libraries that count references: one that is lent for a while, one that is not given back, one that callers take."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_QUEUE = """\
#include <stdlib.h>
struct n { struct n *next; int v; };
struct q { int refs; struct n *head; };
static struct q *q_ref(struct q *q) { q->refs++; return q; }
static void q_unref(struct q *q) { if (--q->refs) return; free(q); }
struct q *q_new(void) { struct q *q = calloc(1, sizeof *q); return q ? q_ref(q) : NULL; }
int q_push(struct q *q, int v) {
    struct n *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = v; n->next = q->head; q->head = n;
    return 0;
}
void q_each(struct q *q, void (*f)(int)) {
    q_ref(q);
    for (struct n *n = q->head; n && q->refs > 1; ) { struct n *next = n->next; f(n->v); n = next; }
    q_unref(q);
}
void q_free(struct q *q) { while (q->head) { struct n *n = q->head; q->head = n->next; free(n); } q_unref(q); }
"""
_OBJECT = """\
#include <stdlib.h>
struct obj { int refs; };
struct obj *obj_new(void) { struct obj *o = calloc(1, sizeof *o); if (o) o->refs = 1; return o; }
struct obj *obj_ref(struct obj *o) { o->refs++; return o; }
void obj_unref(struct obj *o) { if (--o->refs == 0) free(o); }
"""


def _verdicts(text: str, folder: Path) -> dict[str, Verdict]:
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=60.0))
    return {f.name: f.verdict for f in report.functions}


def test_a_reference_that_is_lent_is_given_back(tmp_path: Path) -> None:
    """The number of references was not known after it, so that the end of the object was a leak."""
    assert set(_verdicts(_QUEUE, tmp_path).values()) == {Verdict.TRUE}


@in_exam
@pytest.mark.parametrize(
    ("right", "wrong", "blamed"),
    [
        ("n = next; }\n    q_unref(q);", "n = next; }", "q_each"),
        ("n = next; }\n    q_unref(q);", "n = next; }\n    q_unref(q); q_unref(q);", "q_each"),
        ("free(n); } q_unref(q);", "free(n); }", "q_free"),
        ("if (--q->refs) return; free(q);", "--q->refs; free(q);", "q_each"),
    ],
    ids=["not given back", "given back twice", "not ended", "ended at once"],
)
def test_the_function_that_miscounts_is_wrong(right: str, wrong: str, blamed: str, tmp_path: Path) -> None:
    assert right in _QUEUE
    assert _verdicts(_QUEUE.replace(right, wrong), tmp_path)[blamed] is Verdict.FALSE


@in_exam
def test_a_function_that_takes_a_reference_is_no_error(tmp_path: Path) -> None:
    """The client keeps one reference: it cannot give back another one."""
    verdicts = _verdicts(_OBJECT, tmp_path)
    assert verdicts.pop("obj_ref") is Verdict.UNKNOWN
    assert set(verdicts.values()) == {Verdict.TRUE}
