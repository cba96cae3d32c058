"""Functions of the client that compare: one that gives two answers to one question shows no error of the library."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_SORTED = """\
#include <stdlib.h>
struct n { struct n *next; void *d; };
struct l { struct n *head; int (*cmp)(const void *, const void *); };
struct l *l_new(int (*cmp)(const void *, const void *)) {
    struct l *l = malloc(sizeof *l);
    if (l) { l->head = NULL; l->cmp = cmp; }
    return l;
}
int l_add(struct l *l, void *d) {
    struct n *n = malloc(sizeof *n), *p = NULL, *c;
    if (!n) return -1;
    n->d = d; n->next = NULL;
    if (!l->head) { l->head = n; return 0; }
    if (l->cmp(d, l->head->d) <= 0) { n->next = l->head; l->head = n; return 0; }
    for (c = l->head; c && l->cmp(d, c->d) > 0; c = c->next) p = c;
    n->next = p->next; p->next = n;
    return 0;
}
void l_free(struct l *l) { while (l->head) { struct n *n = l->head; l->head = n->next; free(n); } free(l); }
"""


def _verdict(text: str, folder: Path) -> Verdict:
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=30.0))
    return next(f.verdict for f in report.functions if f.name == "l_add")


def test_a_pair_that_is_compared_twice_is_compared_alike(tmp_path: Path) -> None:
    """It was FALSE: `p` is NULL only if the second answer for the first element is another one."""
    assert _verdict(_SORTED, tmp_path) is Verdict.UNKNOWN


@in_exam
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("p->next = n;\n", "p->next = n; if (!c) free(n);\n"),
        ("n->next = p->next; p->next = n;", "n->next = c->next; p->next = n;"),
        ("{ n->next = l->head; l->head = n; return 0; }", "{ l->head = n; n->next = NULL; return 0; }"),
    ],
    ids=["freed", "behind the end", "lost"],
)
def test_other_errors_are_shown(right: str, wrong: str, tmp_path: Path) -> None:
    assert right in _SORTED
    assert _verdict(_SORTED.replace(right, wrong), tmp_path) is Verdict.FALSE
