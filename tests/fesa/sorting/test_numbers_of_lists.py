"""Programs that need numbers of neighbours, numbers beside the Boolean function, or forests without cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

START = """
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int data; struct node *next; };
"""
PUSHED = (
    START
    + """
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        int x = __VERIFIER_nondet_int();
        if (list && x > list->data) continue;
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->data = x;
        n->next = list;
        list = n;
    }
    for (struct node *p = list; p && p->next; p = p->next)
        assert(p->data <= p->next->data);
    while (list) { struct node *q = list->next; free(list); list = q; }
    return 0;
}
"""
)
INSERTED = (
    START
    + """
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->data = __VERIFIER_nondet_int();
        struct node *prev = NULL, *p = list;
        while (p && p->data < n->data) { prev = p; p = p->next; }
        n->next = p;
        if (prev) prev->next = n; else list = n;
    }
    for (struct node *p = list; p && p->next; p = p->next)
        assert(p->data <= p->next->data);
    while (list) { struct node *q = list->next; free(list); list = q; }
    return 0;
}
"""
)
COUNTED = (
    START
    + """
int main(void) {
    struct node *list = NULL;
    int made = 0, linked = 0;
    while (made < 1000000 && __VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        made++;
        n->next = list;
        list = n;
        linked++;
    }
    if (made != linked) { struct node *bad = NULL; bad->next = list; }
    assert(made == linked);
    while (list) { struct node *n = list->next; free(list); list = n; }
    return 0;
}
"""
)
UNBOUNDED = (
    START
    + """
int main(void) {
    struct node *a = NULL, *b = NULL;
    KIND made = 0, in_a = 0, in_b = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        made++;
        if (__VERIFIER_nondet_int()) { n->next = a; a = n; in_a++; } else { n->next = b; b = n; ++in_b; }
    }
    if (made != in_a + in_b) { struct node *bad = NULL; bad->next = a; }
    assert(in_b == made - in_a);
    while (a) { struct node *n = a->next; free(a); a = n; }
    while (b) { struct node *n = b->next; free(b); b = n; }
    return 0;
}
"""
)
ANYWHERE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; };
int main(void) {
    struct node *head = NULL;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct node *n = malloc(sizeof *n);
            if (!n) break;
            struct node *p = head;
            if (!p || __VERIFIER_nondet_int()) {
                n->prev = NULL;
                n->next = head;
                if (head) head->prev = n;
                head = n;
            } else {
                while (p->next && __VERIFIER_nondet_int()) p = p->next;
                n->prev = p;
                n->next = p->next;
                if (p->next) p->next->prev = n;
                p->next = n;
            }
        } else if (head) {
            struct node *p = head;
            while (p->next && __VERIFIER_nondet_int()) p = p->next;
            if (p->prev) p->prev->next = p->next; else head = p->next;
            if (p->next) p->next->prev = p->prev;
            free(p);
        }
    }
    while (head) { struct node *n = head->next; free(head); head = n; }
    return 0;
}
"""


def verdict(folder: Path, text: str, name: str) -> tuple[Verdict, str]:
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    report = check([str(path)], check_options(domain="fesa", properties=(name,), timeout=120))
    return report.properties[name], next((proof.proof for proof, names in report.proofs if name in names), "")


@pytest.mark.parametrize(
    ("text", "name", "by"),
    [
        (PUSHED, "assert", "FESA, by order"),
        (INSERTED, "assert", "FESA, by order"),
        (COUNTED, "assert", "FESA, by numbers"),
        (UNBOUNDED.replace("KIND", "unsigned long"), "memsafety", "FESA, by numbers"),
        (UNBOUNDED.replace("KIND", "int"), "assert", "FESA, by numbers"),
        (ANYWHERE, "memcleanup", "FESA"),
    ],
)
def test_what_was_unknown_is_proved(tmp_path: Path, text: str, name: str, by: str) -> None:
    """Ghosts had no numbers; no numeric domain was beside the function; parents could be each other's parents."""
    assert verdict(tmp_path, text, name) == (Verdict.TRUE, by)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (PUSHED.replace("x > list->data", "x < list->data"), "assert"),
        (INSERTED.replace("p->data < n->data", "p->data > n->data"), "assert"),
        (COUNTED.replace("linked++;", "if (made > 1) linked++;"), "assert"),
        (UNBOUNDED.replace("KIND", "int").replace("++in_b", "in_b += 2"), "assert"),
        (UNBOUNDED.replace("KIND", "int").replace("assert(in_b", "assert(0 != made); assert(in_b"), "assert"),
        (ANYWHERE.replace("if (p->prev) p->prev->next = p->next; else", "if (!p->prev)"), "memsafety"),
        (ANYWHERE.replace("            free(p);\n", ""), "memcleanup"),
    ],
)
def test_what_is_wrong_is_not_proved(tmp_path: Path, text: str, name: str) -> None:
    assert verdict(tmp_path, text, name)[0] is not Verdict.TRUE
