"""The places that pointers may point to: a pointer that is moved again and again had more of them in each round.

The preparation had no end then, whatever the limit of time was, if a pointer was stored through it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import SECONDS, is_proved

from kleene.analysis.c.fesa import analyse_fesa
from kleene.c.reader import read_program
from kleene.passes.facts.memory import MAX_PLACES
from kleene.passes.preparation import Prepared

STEPS = 14
MEMBERS = ", ".join(f"*m{n}" for n in range(STEPS + 1))
PROGRAM = f"""#include <stdlib.h>
struct pack {{ int {MEMBERS}; }};
int main(void) {{
    struct pack *p = calloc(1, sizeof *p);
    if (!p) return 0;
    p->m{STEPS} = malloc(sizeof(int));
    int **member = &p->m0;
    BODY
    free(p->m{STEPS});
    free(p);
    return 0;
}}
"""
LOST = PROGRAM.replace("BODY", STEPS * "member = member + 1; *member = NULL;")
RIGHT = """#include <stdlib.h>
struct person { struct person *next; char *name, *mail, *town; };
int main(int argc, char **argv) {
    struct person *list = NULL;
    while (argc-- > 0) {
        struct person *p = malloc(sizeof *p);
        if (!p) break;
        char **member = &p->name;
        *member = NULL; member = member + 1;
        *member = NULL; member = member + 1;
        *member = NULL;
        p->next = list; list = p;
    }
    while (list) {
        struct person *next = list->next;
        free(list->name); free(list->mail); free(list->town); free(list);
        list = next;
    }
    return 0;
}
"""


def _prepared(text: str, folder: Path) -> Prepared:
    path = folder / "program.c"
    path.write_text(text)
    return Prepared(read_program([str(path)]))


@pytest.mark.parametrize("text", [RIGHT, LOST])
def test_a_pointer_that_is_moved_on_has_an_end(text: str, tmp_path: Path) -> None:
    places = _prepared(text, tmp_path).memory.pointer_places
    most = max(len({offset for _, offset in known}) for known in places.values())
    assert most <= 2 * (MAX_PLACES + 1)


def test_members_that_are_set_one_after_the_other_are_followed(tmp_path: Path) -> None:
    result = analyse_fesa(_prepared(RIGHT, tmp_path), malloc_may_fail=True, seconds=SECONDS)
    assert result.complete
    assert not result.alarms


def test_a_member_that_is_lost_is_not_proved(tmp_path: Path) -> None:
    assert not is_proved(LOST, tmp_path)
    assert analyse_fesa(_prepared(LOST, tmp_path), malloc_may_fail=True, seconds=SECONDS).alarms


def test_other_kinds_of_blocks_are_not_missing(tmp_path: Path) -> None:
    """A pointer with too many places was not known to lead to another kind of block at an offset of its own."""
    block = "struct other { long numbers[40]; int *kept; }; int main(void) { struct other *o = calloc(1, sizeof *o);"
    steps = STEPS * "member = member + 1; " + "if (o) member = &o->kept;"
    prepared = _prepared(PROGRAM.replace("int main(void) {", block).replace("BODY", steps), tmp_path)
    (places,) = [p for v, p in prepared.memory.pointer_places.items() if v.name == "member"]
    assert len(places) > MAX_PLACES and len({size for size, _ in places}) > 1
