"""Runs of programs with lists of slots in place of arrays: what the program shows they show too, and little else.

Names that begin with `slots` are of what only runs with slots show: a list may have any length, and some pointers to
slots are any.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import HEADER, NAMES, expected, explored, program_of, seen

from kleene.passes.calls.inline import inline
from kleene.passes.elements.global_arrays import with_slots

STATES = {"one past the end": 4500, "narrow indices": 3000, "indices that are computed": 2000}
"""Some times as many as it takes until runs have shown what they can."""
TOO_MANY = "open: of an index or size with many values only some are tried"
TABLE = """
struct node some;
struct node *t[7], *other[8];
struct pair { int n; struct node *p; } pairs[7];
int global;
unsigned char byte;
"""
RUNS = {
    "elements begin as zero": """
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 6) return 0;
    check(t[i]); // never: not zero
    check(!t[i]); // zero
    check(pairs[i].p || pairs[i].n); // never: not zero either""",
    "what is written is read": """
    int i = 0;
    t[i] = &some;
    check(t[i] != &some); // never: lost
    check(t[0] == &some); // by its number
    int j = i;
    check(t[j] != &some); // never: lost by the other
    i = 1;
    check(t[i]); // never: the next
    i++;
    check(!t[i]); // the one after it
    check(!t[j]); // never: the first""",
    "the next one": """
    int i = 0;
    t[i] = &some;
    i = i + 1;
    check(t[i]); // never: written
    t[i] = &some;
    i = 1 + i;
    check(t[i]); // never: written too
    i = i - 1;
    check(!t[i]); // never: not written
    i -= 1;
    check(!t[i]); // never: not written either""",
    "all of them": """
    int i;
    for (i = 0; i < 7; i++) { check(t[i]); t[i] = &some; } // never: written before
    check(i != 7); // never: another end
    for (i = 6; i >= 0; i--) check(t[i] != &some); // never: not written""",
    "back from the end": """
    int i = 7;
    while (i > 0) {
        i = i - 1;
        check(t[i]); // never: written before
        t[i] = &some;
        check(i < 7); // once
    }""",
    "outside": """
    int i = __VERIFIER_nondet_int();
    if (i == -1) { t[i] = &some; return 0; } // below
    if (i == 7) { if (t[i]) return 1; } // above
    if (i == 8) return t[i] == &some; // further above
    if (i > 2 && i < 7) { t[i] = &some; return 0; } // never: inside
    if (i == 0) { t[i] = &some; return 0; } // never: the first
    return 0;""",
    "one past the end": """
    int i = 0;
    for (; i < 7; i++) t[i] = &some; // never: outside
    t[i] = &some; // outside
    """,
    "one before the first": """
    int i = 0;
    i--;
    check(i == -1); // minus one
    t[i] = &some; // outside""",
    "any number": f"""
    int i = __VERIFIER_nondet_int();
    t[i] = &some; // outside
    // {TOO_MANY}""",
    "an index that a test makes zero": """
    int i = __VERIFIER_nondet_int(), j = 0;
    t[j] = &some;
    if (i < 0 || i > 6) return 0;
    if (i == 0) { check(t[i] != &some); } // never: another
    else { check(t[i] == &some); } // never: the first
    check(t[i] != &some); // others
    if (i > 0) { check(t[i] == &some); } // never: the first again
    if (i < 3) { check(t[i] == &some); } // perhaps the first
    if (i <= 0) { check(t[i] != &some); } // never: behind""",
    "what another index may have written": """
    int i = __VERIFIER_nondet_int() & 3, j = 2;
    t[i] = &some;
    check(t[j]); // it has
    check(!t[j]); // it has not""",
    "two arrays": """
    int i = 0;
    t[i] = &some;
    check(other[i]); // never: in the other
    other[i] = &some;
    i = 7;
    check(!other[i]); // behind the first array
    i = i + 1;
    if (other[i]) return 1; // outside""",
    "records": """
    int i = 0;
    pairs[i].p = &some;
    pairs[i].n = 3;
    i++;
    check(pairs[i].n || pairs[i].p); // never: the next
    i = 0;
    check(pairs[i].n != 3 || pairs[i].p != &some); // never: lost
    struct pair q = pairs[i];
    check(q.n != 3); // never: not copied""",
    "an index that is a global variable": """
    check(global != 0); // never: not zero
    t[global] = &some; // never: outside
    int i = 0;
    check(t[i] == &some); // written
    check(t[i] != &some); // never: lost
    global = 6;
    t[global] = NULL; // never: outside again
    """,
    "narrow indices": """
    byte = 3;
    unsigned u = byte;
    t[byte] = &some;
    check(t[u] != &some); // never: another
    int i = 259;
    unsigned char c = i;
    check(t[c] == &some); // the same
    unsigned char d = 255;
    d++;
    check(t[d]); // slots: any
    check(!t[d]); // round""",
    "indices that are computed": """
    int i = 2;
    t[i + 1] = &some;
    check(t[3] == &some); // by its number
    check(t[i * 2]); // slots: any slot""",
    "an index that a pointer changes": """
    int i = 0;
    t[i] = &some; // slots: outside
    int *p = &i;
    *p = 2;
    check(!t[i]); // changed
    *p = 0;
    check(t[i] == &some); // back""",
    "an index in a block of its own": """
    for (int k = 0; k < 2; k++) {
        int i = k;
        check(t[i] && k == 0); // never: written
        t[i] = &some;
    }
    { int i; i = 0; check(t[i] == &some); } // the first""",
    "a branch on an element": """
    int i = 0;
    if (t[i]) { check(1); } // never: some
    else { check(1); } // none
    t[i] = &some;
    if (t[i] == &some) { check(1); } // the same
    else { check(1); } // never: another""",
    "an address": """
    int i = 0;
    struct node **p = &t[i];
    *p = &some;
    check(t[i] != &some); // never: another""",
    "an element that is an index": """
    int i = 0;
    pairs[i].n = 2;
    int j = pairs[i].n;
    t[j] = &some; // slots: outside
    check(!t[i]); // another""",
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_with_slots(name: str, tmp_path: Path) -> None:
    text = f"{TABLE}int main(void) {{{RUNS[name]}\n    return 0;\n}}\n"
    program = inline(program_of(tmp_path, text))
    slots = with_slots(program)
    assert {g.variable.name for g in slots.globals} & {"t[]", "other[]", "pairs[]"}
    only = {marked for marked in NAMES.findall(text) if marked.startswith("slots")}
    assert seen(HEADER + text, explored(program, 3000)) == expected(text) - only
    assert seen(HEADER + text, explored(slots, STATES.get(name, 800))) == expected(text) - {TOO_MANY}
