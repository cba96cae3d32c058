"""Numbers that are counted down: rewritten programs do the same, and walks along counted lists are proved by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.cfa.operations import Assign, Assume
from kleene.cfa.program import CProgram
from kleene.passes.attempts.counted_up import with_counted_steps
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared

NUMBERS = (-2, -1, 0, 1, 2, 3, 5)
FRAME = """
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; } a, b = {&a}, c = {&b};
int main(void) {
    int r = 0, k = 0, m = __VERIFIER_nondet_int();
    TYPE n = (TYPE)__VERIFIER_nondet_int(), t = 3;
    struct node *p = &c;
    LOOP
    return (r + (int)n) & 127;
}
"""
STEP = "r = 2 * r + 1; p = p->next; if (!p) p = &c; if (++k > 6) break;"
LOOPS = (
    "while (n-- > 0) { STEP }",
    "while (n--) { STEP }",
    "for (; n > 1; n--) { STEP }",
    "for (; n >= 1; n--) { STEP if (n == 0) r++; }",
    "while (--n != 2) { STEP }",
    "while (n != -1) { STEP n--; if (m) n--; }",
    "do { STEP } while (!(--n <= 0) && n);",
    "for (; n > 0; n--) for (TYPE u = n; u-- > 1;) { STEP }",
    "while (t != 0) { t = n; n = n - 1; if (t != 0) r++; STEP if (m == 2) { n = 7; break; } }",
    "for (int i = 0; i < 2; i++) { n = 2; while (n--) { STEP } }",
)
REFUSED = (
    "while (n-- > 0) { STEP if (m) n = 3; }",
    "while (n > 0) { STEP n -= 2; }",
    "if (m) goto inside; while (n > 0) { n--; inside: STEP }",
)


def _rewritten(text: str, folder: Path) -> tuple[CProgram, CProgram]:
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    before = Prepared(read_program([str(path)]))
    program = before.inlined
    cfa = with_counted_steps(Memory(program, program.main.cfa, typed=True))
    new = {e.label.target for e in cfa.edges if hasattr(e.label, "target")} - set(program.main.locals)
    fresh = tuple(v for v in sorted(new, key=str) if str(v).startswith(("$from", "$steps")))
    main = replace(program.main, cfa=cfa, locals=(*program.main.locals, *fresh))
    return program, replace(program, functions={**program.functions, main.name: main})


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("type_", ["int", "unsigned"])
def test_the_rewritten_program_does_the_same(type_: str, loop: str, tmp_path: Path) -> None:
    """Each added condition holds wherever a run comes to it, also where numbers are less than 0 or wrap."""
    program, rewritten = _rewritten(FRAME.replace("LOOP", loop).replace("STEP", STEP).replace("TYPE", type_), tmp_path)
    labels = [e.label for e in rewritten.main.cfa.edges]
    assert any(isinstance(label, Assume) and "$from" in str(label) for label in labels)
    assert any(isinstance(label, Assign) and "$steps" in str(label.value) for label in labels)
    for m in (0, 1, 2):
        for n in NUMBERS:
            assert answer(program, [m, n]) == answer(rewritten, [m, n])


@pytest.mark.parametrize("loop", REFUSED)
def test_what_is_not_counted_down_by_ones_stays(loop: str, tmp_path: Path) -> None:
    text = FRAME.replace("LOOP", loop).replace("STEP", STEP).replace("TYPE", "int")
    program, rewritten = _rewritten(text, tmp_path)
    assert program.main.cfa == rewritten.main.cfa


COUNTED = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
struct list { struct node *head; int size; };
static void push(struct list *l) {
    struct node *n = malloc(sizeof *n);
    if (!n) return;
    n->value = 1;
    n->next = l->head;
    l->head = n;
    l->size++;
}
static int get(struct list *l, int at) {
    struct node *p = l->head;
    GET
}
int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l) return 1;
    while (__VERIFIER_nondet_int()) push(l);
    get(l, __VERIFIER_nondet_int());
    while (l->head) { struct node *next = l->head->next; free(l->head); l->head = next; }
    free(l);
    return 0;
}
"""
GET = "if (at < 0 || at >= l->size) return -1; while (at-- > 0) p = p->next; return p->value;"
FROM_ONE = "if (at < 1 || at > l->size) return -1; for (; at > 1; at--) p = p->next; return p->value;"
WRONG = (
    GET.replace("at-- > 0", "at-- >= 0"),
    GET.replace("at >= l->size", "at > l->size"),
    GET.replace("at < 0 || ", "").replace("at-- > 0", "at--"),
    GET.replace("while (at-- > 0)", "while (at--) { if (at == 3) at--;").replace("next;", "next; }"),
    FROM_ONE.replace("at > 1", "at > 0"),
    FROM_ONE.replace("at > l->size", "at > l->size + 1"),
)


@pytest.mark.parametrize("get", [GET, FROM_ONE, GET.replace("at-- > 0", "at--")])
def test_a_walk_by_a_number_that_is_counted_down_is_proved(get: str, tmp_path: Path) -> None:
    """It was UNKNOWN: the nodes that are left are the size minus the rounds, and nothing counted the rounds."""
    assert is_proved_by("counts of steps", COUNTED.replace("GET", get), tmp_path)


@pytest.mark.parametrize("get", WRONG)
def test_a_walk_too_far_is_not_proved(get: str, tmp_path: Path) -> None:
    assert not is_proved_by("counts of steps", COUNTED.replace("GET", get), tmp_path)
