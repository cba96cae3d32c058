"""What is reachable along back pointers and on from there: never said of what is lost, on every small heap."""

from __future__ import annotations

import itertools
from pathlib import Path

from kleene.logic.kleene import Kleene
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import StructureBuilder

from ..translated import alarms, translator
from .test_circular import closure, cycles

START = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node { struct node *next, *prev; };\n"
BACK = frozenset({"prev"})
LIST = (
    "struct node *l = NULL, *last = NULL; while (__VERIFIER_nondet_int()) { struct node *n = malloc(16);"
    "n->prev = NULL; n->next = l; if (l) l->prev = n; l = n; }"
)
TURN = "while (l) {{ struct node *t = l->next; {0} l->prev = t; last = l; l = t; }}"
FREE = "while (last) { struct node *t = last->next; free(last); last = t; }"


def test_what_is_lost_is_never_reachable(tmp_path: Path) -> None:
    body = "struct node *x = malloc(16); x->next = x->prev = NULL; x->next = malloc(16); x->prev = x->next; free(x);"
    made = translator(tmp_path, body, ShapeClass("circular with back pointers", back=BACK, circular=BACK), START)
    vocabulary, formula = made.translate().vocabulary, made.symbols.reachable("v")
    turned = 0
    places: list[int | None] = [None, 0, 1, 2]
    for next_, prev in itertools.product(itertools.product(places, repeat=3), repeat=2):
        if cycles(next_):
            continue
        ahead = {(u, v) for u, v in enumerate(next_) if v is not None}
        back = {(u, v) for u, v in enumerate(prev) if v is not None}
        truth = closure(ahead | back, 3)
        for cut in itertools.product(*cycles(prev)):
            forest = {(u, v) for u, v in back if u not in cut}
            t, down = closure(forest, 3), closure(ahead, 3)
            table: dict[str, set[tuple[int, ...]]] = {
                "next": {*ahead},
                "prev": {*back},
                "cut[prev]": {(u,) for u in cut},
                "sfe[prev]": {*forest},
                "t[prev]": {*t},
                "T[prev]": {*closure(back, 3)},
                "r[prev,x]": {(v,) for u, v in t if u == 0},
                "t[next]": {*down},
                "r[next,x]": {(v,) for u, v in down if u == 0},
                "x": {(0,)},
                "heap": {(0,), (1,), (2,)},
            }
            builder = StructureBuilder(vocabulary, 3)
            for name, tuples in table.items():
                for nodes in tuples:
                    builder.set(name, nodes, Kleene.TRUE)
            structure = builder.build()
            for v in range(3):
                found = evaluate(structure, formula, {"v": v}) is Kleene.TRUE
                assert not found or (0, v) in truth, (next_, prev, cut, v)
                if any((0, u) in t | back and (u, v) in down for u in range(3)):
                    turned += 1
                    assert found, (next_, prev, cut, v)
    assert turned > 1000


def test_a_list_is_turned_round(tmp_path: Path) -> None:
    assert alarms(tmp_path, LIST + TURN.format("l->next = l->prev;") + FREE, START) == set()
    assert "memory_leak" in alarms(tmp_path, LIST + TURN.format("l->next = NULL;") + FREE, START)
