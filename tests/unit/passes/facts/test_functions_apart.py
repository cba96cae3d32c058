"""Which functions are analysed apart, and what this saves."""

from __future__ import annotations

from pathlib import Path

from kleene.c.reader import read_program
from kleene.passes.facts.calls import Calls
from kleene.passes.preparation import Prepared

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
struct head { struct node *first; };
struct pair { int a, b; };
static struct node *fill(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        n->next = l;
        l = n;
    }
    return l;
}
static void drop(struct node *l) { while (l) { struct node *t = l; l = l->next; free(t); } }
static struct node *second(struct node *l) { return l->next; }
static void take(struct head *h) { drop(h->first); h->first = fill(); drop(h->first); h->first = NULL; }
static void hand_on(struct head *h) { take(h); take(h); take(h); }
static int sum(struct pair p) { int s = 0; while (p.a < p.b) { s += p.a; p.a++; s--; } return s; }
static struct node *both(void) { struct node *l = fill(); drop(l); return fill(); }
"""


def calls(tmp_path: Path, body: str) -> Calls:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return Calls(read_program([str(path)]))


def test_functions_with_several_calls_are_analysed_apart(tmp_path: Path) -> None:
    assert calls(tmp_path, "drop(fill()); drop(fill());").apart == {"fill", "drop"}
    assert calls(tmp_path, "drop(fill());").apart == frozenset()


def test_small_functions_are_inlined(tmp_path: Path) -> None:
    assert "second" not in calls(tmp_path, "struct node *l = fill(); second(l); second(l); second(l);").apart


def test_functions_that_get_addresses_of_variables_are_inlined(tmp_path: Path) -> None:
    """Also those that get them from another function."""
    chosen = calls(tmp_path, "struct head h = { NULL }; hand_on(&h); hand_on(&h);")
    assert chosen.apart == {"fill", "drop"}


def test_functions_that_get_structs_are_inlined(tmp_path: Path) -> None:
    assert calls(tmp_path, "struct pair p = { 0, 1 }; sum(p); sum(p);").apart == frozenset()


def test_copies_are_counted_through_all_levels(tmp_path: Path) -> None:
    chosen = calls(tmp_path, "drop(both()); drop(both()); drop(both());")
    assert chosen.apart == {"both", "fill", "drop"}
    assert chosen.share_left("fill") == 1 / 6 and chosen.share_left("drop") == 1 / 6
    assert chosen.share_left("main") == 1.0


def test_a_program_is_large_when_inlining_makes_it_large(tmp_path: Path) -> None:
    """Sixteen levels of functions that call the next one twice: 65,536 copies."""
    path = tmp_path / "levels.c"
    levels = "".join(f"static void f{i}(void) {{ f{i - 1}(); f{i - 1}(); }}\n" for i in range(1, 17))
    path.write_text(f"{HEAD}static void f0(void) {{ drop(fill()); }}\n{levels}int main(void) {{ f16(); return 0; }}\n")
    prepared = Prepared(read_program([str(path)]))
    assert prepared.calls.is_large_inlined
    assert prepared.by_calls is not None and len(prepared.by_calls.cfa.edges) < 300
    assert not calls(tmp_path, "drop(fill()); drop(fill());").is_large_inlined
