"""An intrusive ring whose head is a link in its object: links are blocks of the client, and the head is none of them.

The client took the head for an element and handed in no links, so that all lists were empty: the wrong changes were
proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

SECONDS = 60.0
RING = """
#include <stddef.h>
struct link { struct link *next, *prev; };
struct head { struct link l; };
void head_init(struct head *h) { h->l.next = h->l.prev = &h->l; }
void link_add(struct head *h, struct link *x) {
    x->next = h->l.next; x->prev = &h->l; h->l.next->prev = x; h->l.next = x;
}
void link_add_tail(struct head *h, struct link *x) {
    x->prev = h->l.prev; x->next = &h->l; h->l.prev->next = x; h->l.prev = x;
}
void link_del(struct link *x) { x->next->prev = x->prev; x->prev->next = x->next; x->next = x->prev = x; }
struct link *head_first(struct head *h) { return h->l.next == &h->l ? NULL : h->l.next; }
"""
CHANGED = {
    "a link that stays": ("x->prev->next = x->next; x->next", "x->next"),
    "a wrong way back": ("h->l.next->prev = x; h->l.next = x;", "h->l.next = x; h->l.next->prev = x->next;"),
    "no way on": ("x->next = &h->l; h", "x->next = NULL; h"),
}


def _verdict(text: str, folder: Path) -> Verdict:
    path = folder / "ring.c"
    path.write_text(text, encoding="utf-8")
    return check_library(str(path), check_options(timeout=SECONDS)).verdict


@in_exam
def test_the_ring_is_proved(tmp_path: Path) -> None:
    assert _verdict(RING, tmp_path) is Verdict.TRUE


@pytest.mark.parametrize("name", [pytest.param(n, marks=in_exam if i else ()) for i, n in enumerate(CHANGED)])
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert RING.count(CHANGED[name][0]) == 1
    assert _verdict(RING.replace(*CHANGED[name]), tmp_path) is Verdict.FALSE
