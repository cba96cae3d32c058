"""Tables of functions that an unknown index calls: every element is another call, and the wrong one is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import is_proof, read

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

SIZE = 17
HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
typedef struct node *(*operation)(struct node *);
"""
PUSH = "struct node *n = malloc(sizeof *n); if (!n) abort(); n->next = l; n->key = {i}; return n;"
POP = "struct node *n = l; if (n) { l = n->next; free(n); } return l;"
WRONG = {
    "freed and kept": "if (l) free(l); return l;",
    "not tested": "struct node *n = l->next; free(l); return n;",
    "lost": "return l ? l->next : l;",
}


def program_of(tmp_path: Path, last: str, *, limit: int = SIZE, table: str = "") -> Path:
    bodies = [*((PUSH if i % 2 else POP).replace("{i}", str(i)) for i in range(SIZE - 1)), last]
    functions = "".join(f"static struct node *f{i}(struct node *l) {{ {body} }}\n" for i, body in enumerate(bodies))
    elements = table or ", ".join(f"f{i}" for i in range(SIZE))
    path = tmp_path / "program.c"
    path.write_text(
        f"{HEAD}{functions}static const operation table[{SIZE}] = {{ {elements} }};\n"
        "int main(void) { struct node *l = NULL; while (__VERIFIER_nondet_int()) { int i = __VERIFIER_nondet_int(); "
        f"if (i >= 0 && i < {limit}) l = table[i](l); }} "
        "while (l) { struct node *n = l; l = l->next; free(n); } return 0; }\n"
    )
    return path


def analysed(path: Path) -> ShapeResult:
    result = analyse_by_attempt(Prepared(read(path)), ATTEMPTS[0], malloc_may_fail=True, seconds=60)
    assert result is not None
    return result


def test_a_table_of_functions_is_followed(tmp_path: Path) -> None:
    assert is_proof(analysed(program_of(tmp_path, POP)))


@pytest.mark.parametrize("name", WRONG)
def test_the_last_function_of_a_table_is_called_too(name: str, tmp_path: Path) -> None:
    assert kinds_of_alarms(analysed(program_of(tmp_path, WRONG[name])))


def test_what_is_not_called_may_be_wrong(tmp_path: Path) -> None:
    assert is_proof(analysed(program_of(tmp_path, WRONG["lost"], limit=SIZE - 1)))


def test_an_index_behind_the_table_is_an_alarm(tmp_path: Path) -> None:
    assert kinds_of_alarms(analysed(program_of(tmp_path, POP, limit=SIZE + 1)))


def test_an_element_that_is_null_is_no_function(tmp_path: Path) -> None:
    elements = ", ".join(f"f{i}" if i != 7 else "NULL" for i in range(SIZE))
    assert kinds_of_alarms(analysed(program_of(tmp_path, POP, table=elements)))
