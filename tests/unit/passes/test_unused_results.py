"""Results that the caller does not use: the expression behind `return` is evaluated all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

PROGRAM = """
#include <stdlib.h>
struct node { struct node *next; int value; };
static int first(struct node *list) { return list->value; }
static struct node *second(struct node *list) { return list->next; }
int main(void) {
    struct node *list = malloc(sizeof *list);
    if (!list)
        return 0;
    list->next = NULL;
    list->value = 1;
    CALL;
    free(list);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("first(list)", False),
        ("first(list->next)", True),
        ("second(list)", False),
        ("second(list->next)", True),
    ],
)
def test_the_accesses_of_an_unused_result_are_checked(call: str, wrong: bool, tmp_path: Path) -> None:
    """The inlined call had no trace of ``return list->value``: a null pointer there was not seen by any analysis."""
    source = tmp_path / "program.c"
    source.write_text(PROGRAM.replace("CALL", call), encoding="utf-8")
    result = analyse(Prepared(read_program([str(source)])), malloc_may_fail=True, seconds=20.0)
    assert result.complete
    assert ("null_dereference" in {alarm.kind for alarm in result.alarms}) == wrong
