"""Words with a pointer and flags: random programs, decided by exact exploration, against each abstract analysis alone.

A program changes, copies, compares and clears two words of the heap and two variables, and asserts something about
them. What exploration refutes, no analysis may prove; most of what it proves, the shape analysis proves, too.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.slices import EXAM

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.domains.explicit.explore import explore
from kleene.passes.pointers.words.types import is_tag, mask_of
from kleene.passes.preparation import Prepared

KINDS = kinds_of(["assert"])
PROGRAMS = 300 if EXAM else 25
STATEMENTS = 7
WORDS = ("a->word", "b->word", "v", "u")
POINTERS = ("a", "b", "(struct node *)0")
HEAD = """
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; uintptr_t word; };
int main(void) {
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *p = a;
    uintptr_t v = 0, u = (uintptr_t)b;
"""
TAIL = """
    free(a);
    free(b);
    return 0;
}
"""


def statement(rng: random.Random) -> str:
    word, other, pointer = rng.choice(WORDS), rng.choice(WORDS), rng.choice(POINTERS)
    flag = rng.choice((1, 2, 3))
    maybe = "if (__VERIFIER_nondet_int()) " if rng.random() < 0.3 else ""
    return maybe + rng.choice(
        (
            f"{word} = (uintptr_t){pointer};",
            f"{word} = (uintptr_t){pointer} | {flag};",
            f"{word} |= {flag};",
            f"{word} &= ~(uintptr_t){flag};",
            f"{word} ^= {flag};",
            f"{word} &= ~{flag};",
            f"{word} = {other} & ~(1 << 1 | {flag});",
            f"{word} = {other};",
            f"{word} = ({other} & {flag}) | (uintptr_t){pointer};",
            f"{word} = ({other} & ~(uintptr_t)3) + {flag};",
            f"if (({word} & 3) == {flag}) {word} -= {flag};",
            f"p = (struct node *)({word} & ~(uintptr_t)3);",
            f"{word} = (uintptr_t)p;",
            f"{word} = {other} & {flag};",
            f"{word} = ({word} & 1) | ({other} & {flag});",
            f"{word} = {other} == {word};",
            "memset(a, 0, sizeof *a);",
            "*b = *a;",
            "memcpy(a, b, sizeof *a);",
            f"if ({word} == {other}) {word} ^= {flag};",
        )
    )


def claim(rng: random.Random) -> str:
    word, other, pointer = rng.choice(WORDS), rng.choice(WORDS), rng.choice(POINTERS)
    flag = rng.choice((1, 2, 3))
    return rng.choice(
        (
            f"({word} & {flag}) == {rng.choice((0, flag))}",
            f"(struct node *)({word} & ~(uintptr_t)3) == {pointer}",
            f"{word} {rng.choice(('==', '!='))} {other}",
            f"{word} == ((uintptr_t){pointer} | {flag})",
            f"p {rng.choice(('==', '!='))} {pointer}",
            f"!({word} & {flag}) || (int){word} & {flag}",
        )
    )


def program(seed: int) -> str:
    rng = random.Random(seed)
    body = "".join(f"    {statement(rng)}\n" for _ in range(STATEMENTS))
    return f"{HEAD}{body}    assert({claim(rng)});{TAIL}"


def prepared_program(tmp_path: Path, text: str) -> Prepared:
    path = tmp_path / "words.c"
    path.write_text(text)
    return Prepared(read_program([str(path)]))


def holds(prepared: Prepared) -> bool | None:
    """None where the interpreter does not know the lowest bits of an address as an `int`."""
    outcome = explore(prepared.source, seconds=20, malloc_may_fail=False)
    broken = any(c.fault.kind == "assertion" for c in outcome.findings)
    assert outcome.complete or broken or outcome.unsupported, outcome
    return not broken if outcome.complete or broken else None


def is_proved(alarms: object, complete: bool) -> bool:
    kinds = {alarm.kind for alarm in alarms}  # type: ignore[attr-defined]
    return complete and not kinds - {"memory_leak", "memory_cleanup"}


def test_analyses_agree_with_exploration(tmp_path: Path) -> None:
    proved = {"shape": 0, "fesa": 0}
    true = undecided = 0
    for seed in range(PROGRAMS):
        prepared = prepared_program(tmp_path, program(seed))
        right = holds(prepared)
        if right is None:
            undecided += 1
            continue
        true += right
        shape = analyse(prepared, malloc_may_fail=False, seconds=20, kinds=KINDS)
        fesa = analyse_fesa(prepared, malloc_may_fail=False, seconds=20)
        for name, result in (("shape", shape), ("fesa", fesa)):
            if is_proved(result.alarms, result.complete):
                assert right, f"{name} proves what a run refutes (seed {seed}):\n{program(seed)}"
                proved[name] += 1
    assert true >= PROGRAMS // 5 and undecided <= PROGRAMS // 20
    assert proved["shape"] >= 0.7 * true
    assert proved["fesa"] >= 0.5 * true


@pytest.mark.parametrize(
    ("statement", "followed"),
    [
        ("v = (uintptr_t)a | 1; p = (struct node *)(v & ~(uintptr_t)1);", True),
        ("v = (uintptr_t)((char *)a + 1); v |= 2; p = (struct node *)(v & ~(uintptr_t)3);", False),
        (
            "v = (uintptr_t)a | 1; p = *(struct node **)&a->word; a->word = (uintptr_t)b | 1;",
            False,
        ),
        ("v = (uintptr_t)a ^ (uintptr_t)b; p = (struct node *)(v ^ (uintptr_t)b);", False),
        (
            "v = __VERIFIER_nondet_int() & 1; if (v == 1) v |= 1; v = (uintptr_t)a | (v & 1);",
            True,
        ),
        (
            "v = __VERIFIER_nondet_int() & 8; if (v) v = (uintptr_t)a | 1; p = (struct node *)(v & ~(uintptr_t)1);",
            False,
        ),
        ("v = (uintptr_t)a | 16; p = (struct node *)(v & ~(uintptr_t)16);", False),
    ],
)
def test_which_words_are_followed(tmp_path: Path, statement: str, followed: bool) -> None:
    """A word whose target may have low bits of its own, or that is read as a pointer, stays a number."""
    prepared = prepared_program(tmp_path, HEAD.replace("u = (uintptr_t)b", "u = 0") + statement + TAIL)
    types = [v.type for v in (*prepared.memory.pointers, *prepared.memory.integers) if v.name.startswith("v")]
    assert any(mask_of(t) or is_tag(t) for t in types) == followed


MASKS = """
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; uintptr_t info; };
#define RED 0x1
#define SIDE (RED << 1)
#define MASK (RED | SIDE)
#define PARENT(n) ((struct node *)((n)->info & ~MASK))
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        n->info = RED;
        if (list) list->info = (uintptr_t)n | (list->info & MASK);
        list = n;
    }
    while (list) {
        struct node *next = list->next;
        if (next) PARENT(next)->info ^= (next->info ^ list->info) & MASK;
        free(list);
        list = next;
    }
    return 0;
}
"""


def test_masks_of_several_flags(tmp_path: Path) -> None:
    """``~(RED | SIDE)`` was no constant: 'pointer value ... not supported'."""
    shape = analyse(prepared_program(tmp_path, MASKS), seconds=20.0, malloc_may_fail=True)
    assert is_proved(shape.alarms, shape.complete) and not shape.alarms
