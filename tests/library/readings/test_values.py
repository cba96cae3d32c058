"""Containers that copy elements of a size that they are told when they are made."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.analysis.c.library.interface.object_types import object_types
from kleene.analysis.c.library.readings.candidates import readings
from kleene.analysis.c.library.readings.operations import Role
from kleene.analysis.c.options import check_options
from kleene.c.options import DEFAULT
from kleene.core.verdict import Verdict

_QUEUE = """
#include <stdlib.h>
#include <string.h>
struct cell { struct cell *next; void *value; };
struct queue { struct cell *head, *tail; size_t item_size; };
struct queue *queue_new(size_t item_size) {
    struct queue *q = malloc(sizeof *q);
    if (!q) return NULL;
    q->head = q->tail = NULL; q->item_size = item_size;
    return q;
}
int queue_put(struct queue *q, const void *item) {
    struct cell *c = malloc(sizeof *c);
    if (!c) return 0;
    c->value = malloc(q->item_size);
    if (!c->value) { free(c); return 0; }
    memcpy(c->value, item, q->item_size);
    c->next = NULL;
    if (q->tail) q->tail->next = c; else q->head = c;
    q->tail = c;
    return 1;
}
int queue_get(struct queue *q, void *item) {
    struct cell *c = q->head;
    if (!c) return 0;
    if (item) memcpy(item, c->value, q->item_size);
    q->head = c->next;
    if (!q->head) q->tail = NULL;
    free(c->value); free(c);
    return 1;
}
void queue_free(struct queue *q) { while (queue_get(q, NULL)) continue; free(q); }
"""
_OTHER_MAKER = "struct queue *queue_of_words(void) { return queue_new(sizeof(long)); }\n"
_JOIN = (
    "void queue_join(struct queue *q, struct queue *other) { while (other->head) queue_get(other, NULL); (void)q; }\n"
)


def _checked(text: str, folder: Path) -> dict[str, Verdict]:
    file = folder / "queue.c"
    file.write_text(text, encoding="utf-8")
    return {f.name: f.verdict for f in check_library(str(file), check_options(timeout=60.0)).functions}


def _offered(text: str, folder: Path) -> bool:
    """Whether an element by its bytes is among the readings of `queue_put`."""
    file = folder / "queue.c"
    file.write_text(text, encoding="utf-8")
    interface = read_interface(str(file), DEFAULT)
    types = object_types(interface)
    put = next(f for f in interface.functions if f.name == "queue_put")
    return any(Role.VALUE in o.roles for o in readings(put, types))


def test_a_queue_of_elements_of_any_size_is_proved(tmp_path: Path) -> None:
    """It was UNKNOWN: what the client hands in was read as a pointer that is stored, and the queue follows it."""
    assert set(_checked(_QUEUE, tmp_path).values()) == {Verdict.TRUE}


@pytest.mark.parametrize(
    ("right", "wrong", "function"),
    [
        ("malloc(q->item_size)", "malloc(q->item_size - 1)", "queue_put"),
        pytest.param("item, c->value, q->item_size)", "item, c->value, q->item_size + 1)", "queue_get", marks=in_exam),
        pytest.param("if (item) memcpy", "memcpy", "queue_free", marks=in_exam),
        pytest.param("if (!q->head) q->tail = NULL;", "", "queue_get", marks=in_exam),
    ],
)
def test_wrong_sizes_are_shown(right: str, wrong: str, function: str, tmp_path: Path) -> None:
    assert right in _QUEUE
    verdicts = _checked(_QUEUE.replace(right, wrong), tmp_path)
    assert verdicts[function] is Verdict.FALSE
    assert [v for name, v in verdicts.items() if name != function].count(Verdict.FALSE) == 0


@pytest.mark.parametrize(
    ("more", "offered"), [("", True), (_OTHER_MAKER, False), (_JOIN, False)], ids=["one", "another maker", "two"]
)
def test_the_size_must_be_known(more: str, offered: bool, tmp_path: Path) -> None:
    """Another maker may say another size, and so may the maker of a second object."""
    assert _offered(_QUEUE + more, tmp_path) is offered


@in_exam
def test_a_block_of_the_client_may_be_another_one(tmp_path: Path) -> None:
    """The client hands in elements of the size of the queue; that more is read may be what it should have handed in."""
    text = _QUEUE.replace("memcpy(c->value, item, q->item_size)", "memcpy(c->value, item, 8)")
    assert _checked(text, tmp_path)["queue_put"] is Verdict.UNKNOWN
