"""Elements of tables: an array of pointers in the object has the heads of their chains."""

from __future__ import annotations

from pathlib import Path

from tests.library.inferences import inferred_of, wrong_functions
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.readings.operations import Fate, Role
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_SECONDS = 40.0
_TABLE = """
#include <stdlib.h>
#define N 3
struct entry { struct entry *next; unsigned key; void *attr; };
struct table { struct entry *bucket[N]; };
struct table *table_new(void) { return calloc(1, sizeof(struct table)); }
struct entry *table_add(struct table *t, unsigned key) {
    struct entry *e = malloc(sizeof *e);
    if (!e) return NULL;
    e->key = key; e->attr = NULL; e->next = t->bucket[key % N]; t->bucket[key % N] = e;
    return e;
}
void entry_set_attr(struct entry *e, void *attr) { e->attr = attr; }
void *entry_attr(const struct entry *e) { return e->attr; }
void table_free(struct table *t) {
    int i;
    for (i = 0; i < N; i++)
        while (t->bucket[i]) { struct entry *n = t->bucket[i]->next; free(t->bucket[i]); t->bucket[i] = n; }
    free(t);
}
"""
_BREAK = ("{ e->attr = attr; }", "{ e->attr = attr; e->next = e; }")


def test_elements_of_tables_are_reached(tmp_path: Path) -> None:
    """'Its parameters are not understood', of all functions that take an entry of a table."""
    inferred = inferred_of(_TABLE, tmp_path)
    assert not inferred.untried and not inferred.rejected
    taking = {o.function.name: o for o in inferred.accepted if o.roles[:1] == (Role.ELEMENT,)}
    assert taking.keys() == {"entry_set_attr", "entry_attr"}
    assert all(o.fate is Fate.KEPT for o in taking.values())


@in_exam
def test_a_function_that_breaks_its_entry_is_wrong(tmp_path: Path) -> None:
    """The error was beyond the bound of the search: runs that had chosen an index came after all others."""
    text = _TABLE.replace(*_BREAK)
    assert text != _TABLE
    assert wrong_functions(inferred_of(text, tmp_path)) == {"entry_set_attr"}


@in_exam
def test_functions_of_entries_are_proved(tmp_path: Path) -> None:
    file = tmp_path / "library.c"
    file.write_text(_TABLE, encoding="utf-8")
    assert check_library(str(file), check_options(timeout=_SECONDS)).verdict is Verdict.TRUE
