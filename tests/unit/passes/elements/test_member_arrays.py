"""Arrays of pointers in structs and in variables as lists of slots: runs, and structs that keep their arrays."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import HEADER, expected, explored, program_of, seen
from tests.unit.semantics.translated import alarms

from kleene.cfa.types import ArrayType
from kleene.passes.calls.inline import inline
from kleene.passes.elements.members import with_member_blocks
from kleene.passes.prepare import prepare_program

TABLE = """
#include <string.h>
struct node some;
struct table { int n; struct node *t[7]; };
struct outer { struct table in; int last; };
struct table global;
"""
STATES = 3000
"""More than it takes until runs have shown what they can."""
MAKE = "struct table *s = calloc(1, sizeof *s); if (!s) return 0;"
RUNS = {
    "what is written is read": f"""
    {MAKE}
    int i = 0;
    s->t[i] = &some;
    check(s->t[i] != &some); // never: lost
    check(s->t[0] == &some); // by its number
    int j = i;
    check(s->t[j] != &some); // never: lost by the other
    i++;
    check(s->t[i]); // never: the next one
    check(!s->t[i]); // the next one is zero
    free(s);""",
    "all elements": f"""
    {MAKE}
    for (int i = 0; i < 7; i++) {{ check(s->t[i]); s->t[i] = &some; }} // never: written before
    for (int i = 6; i >= 0; i--) check(s->t[i] != &some); // never: not written
    memset(s->t, 0, sizeof s->t);
    for (int i = 0; i < 7; i++) check(s->t[i]); // never: not zero
    s->n = 3;
    memset(s, 0, sizeof *s);
    check(s->n); // never: the other member is not zero
    s->t[s->n] = &some;
    check(s->t[0] == &some); // the array is still there
    free(s);""",
    "outside": """
    struct table *s = &global;
    int i = __VERIFIER_nondet_int();
    if (i == 7) { if (s->t[i]) return 1; } // above
    if (i > 2 && i < 7) { s->t[i] = &some; return 0; } // never: inside""",
    "a pointer to an element or to a member": f"""
    {MAKE}
    struct node one = {{0}}, two = {{0}};
    int i = 3;
    one.next = &two;
    s->t[i] = &one;
    struct node **p = &s->t[i];
    check(*p != &one); // never: another element
    p = &(*p)->next;
    check(*p == &two); // the member
    p = &(*p)->next;
    check(*p); // never: behind the last
    free(s);""",
    "after the end": f"""
    {MAKE}
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 6) i = 0;
    s->t[i] = &some;
    struct node **p = &s->t[i];
    free(s);
    check(*p == &some); // freed""",
    "of a variable": """
    struct table s = {0};
    int i = 2;
    check(s.t[i]); // never: not zero
    s.t[i] = &some;
    check(s.t[2] == &some); // the element
    check(global.t[i]); // never: not zero at the start
    global.t[i] = &some;
    check(global.t[i] == &some); // the element of the global""",
    "of a member": """
    struct outer *o = calloc(1, sizeof *o);
    if (!o) return 0;
    int i = 4;
    o->in.t[i] = &some;
    o->last = 5;
    check(o->in.t[i] != &some); // never: lost
    check(o->last == 5); // the member behind
    free(o);""",
}
KEPT = {
    "copied": "struct table c = *s; c.t[i] = 0; check(c.t[i]);",
    "by bytes": "((void **)s)[i] = 0;",
    "one pointer further": "void **p = (void **)s; p++; *p = 0;",
    "moved": "s = realloc(s, 2 * sizeof *s);",
    "copied bytes": "struct table c; memcpy(&c, s, sizeof c);",
    "partly zero": "memset(s, 0, 16);",
    "another block": "struct table *u = malloc(2 * sizeof *u); s = u;",
}


def text_of(body: str) -> str:
    return f"{TABLE}int main(void) {{{body}\n    return 0;\n}}\n"


@pytest.mark.parametrize("name", RUNS)
def test_runs_with_pointers_to_arrays(name: str, tmp_path: Path) -> None:
    """The program before the pass shows what it should; no analysis of the one after it may miss that."""
    text = text_of(RUNS[name])
    program = inline(program_of(tmp_path, text))
    changed = with_member_blocks(program)
    assert not isinstance(changed.records["struct table"].fields[1].type, ArrayType)
    assert seen(HEADER + text, explored(program, STATES)) == expected(text)
    lists = prepare_program(program)
    assert any(name.startswith("slot of") for name in lists.records)
    assert expected(text) <= seen(HEADER + text, explored(lists, STATES))


@pytest.mark.parametrize("name", KEPT)
def test_other_uses_of_the_bytes_keep_the_array(name: str, tmp_path: Path) -> None:
    """Else the bytes of its elements would be read or written where no slot is (one of these was a wrong proof)."""
    body = (
        f"{MAKE} int i = __VERIFIER_nondet_int(); if (i < 0 || i > 6) return 0; s->t[i] = &some; {KEPT[name]} free(s);"
    )
    changed = with_member_blocks(inline(program_of(tmp_path, text_of(body))))
    assert isinstance(changed.records["struct table"].fields[1].type, ArrayType)


LEFT = {
    "heap": "int **a = malloc(n * sizeof *a); if (!a) return 0; LOOP free(a);",
    "stack": "{ int *a[9]; if (n > 9) return 0; LOOP }",
    "member": (
        "struct ints { int *a[9]; } *s = malloc(sizeof *s); if (!s) return 0; if (n > 9) return 0; MEMBERS free(s);"
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_slots_end_with_their_block(name: str, tmp_path: Path) -> None:
    """``p = &a[i]; free(a); *p`` was proved: only the first slot of the array was freed."""
    loop = "for (int i = 0; i < n; i++) { a[i] = 0; if (i > 2) p = &a[i]; }"
    block = LEFT[name].replace("LOOP", loop).replace("MEMBERS", loop.replace("a[i]", "s->a[i]"))
    text = (
        f"int n = __VERIFIER_nondet_int(); if (n < 5 || n > 1000) return 0; int **p = 0; {block} if (p) return *p == 0;"
    )
    assert "dangling_dereference" in alarms(tmp_path, text)
