"""Landmarks: where bounds that grow in a loop stop, and how few rounds that takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.unit.semantics.translated import program_of

from kleene.cfa.operations import Operation
from kleene.passes.facts.relations.compared_numbers import Landmarks
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.states import State
from kleene.passes.facts.relations.zones import UNBOUNDED, Zone, widen
from kleene.passes.preparation import Prepared

RING = """struct ring { int *slots; int first, length; };
int main(void) {
    struct ring r;
    int lines = 0, c, last = 0;
    r.slots = malloc(16 * sizeof *r.slots);
    if (!r.slots) return 1;
    r.first = 0;
    r.length = 16;
    while ((c = getchar()) != -1) {
        r.slots[r.first] = c;
        r.first = (r.first + 1) % r.length;
        if (c == 10) lines++;
        if (c == 61 || c == 58 || c == 35 || c == 91 || c == 93 || c == 59) last = c;
    }
    free(r.slots);
    if (last) return 0;
    return lines;
}
"""
TABLE = """struct entry { struct entry *next; unsigned hash; char *key; };
struct table { struct entry **b; unsigned long n; int changes; unsigned long count; };
int main(void) {
    struct table t = {0};
    struct entry *e;
    t.n = 8;
    t.b = calloc(t.n, sizeof *t.b);
    if (!t.b) return 1;
    while (getchar() != -1) {
        unsigned h = __VERIFIER_nondet_uint();
        h = h * 33 + 77;
        e = t.b[h % t.n];
        if (e) e->hash = h;
        t.count = t.count + 1;
        if (t.count >= t.n) t.count = 0;
    }
    free(t.b);
    return 0;
}
"""
BROKEN = """struct names { char *name; unsigned long length, count; };
int main(void) {
    struct names n;
    unsigned long i;
    n.length = 4;
    n.count = 0;
    n.name = malloc(4);
    if (!n.name) return 1;
    while (getchar() != -1) {
        for (i = 0; i < n.length; i++) n.name[i] = 97;
        if (strlen("ab") < n.count) n.count = 0;
        n.count = n.count + 1;
        if (n.count > 100) n.count = strlen(n.name);
    }
    free(n.name);
    return 0;
}
"""
MOST_ROUNDS = 30
"""Times that an operation of the loop is applied; with all constants of the program as landmarks, 60."""


def test_a_number_has_the_constants_that_operations_relate_it_to(tmp_path: Path) -> None:
    prepared = Prepared(program_of(tmp_path, RING))
    landmarks = Landmarks(prepared.inlined, prepared.cfa)
    names = {n: n.rsplit(".", 1)[-1].rsplit("_", 1)[-1] for n in landmarks._parents if isinstance(n, str)}
    assert all({15, 16, 17} <= set(landmarks.of([n])) for n, last in names.items() if last == "first")
    assert not {61, 91} & set(landmarks.of([n for n, last in names.items() if last == "lines"]))


def test_what_is_read_and_what_is_divided_say_nothing_of_a_number(tmp_path: Path) -> None:
    prepared = Prepared(program_of(tmp_path, TABLE))
    landmarks = Landmarks(prepared.inlined, prepared.cfa)
    names = [n for n in landmarks._own if isinstance(n, str)]
    counts = [n for n in names if "count" in n]
    assert counts
    assert all({7, 8, 9} <= set(landmarks.of([n])) for n in counts)
    assert not any({77, 33, 2**31 - 1, 2**32 - 1} & set(landmarks.of([n])) for n in counts)


def test_promises_that_are_broken_cost_few_steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    steps: list[int] = []
    solve, after = Relations._solve, Relations.after

    def counted(self: Relations, operation: Operation, before: State) -> State | None:
        steps[-1] += 1
        return after(self, operation, before)

    def solved(self: Relations) -> object:
        steps.append(0)
        return solve(self)

    monkeypatch.setattr(Relations, "after", counted)
    monkeypatch.setattr(Relations, "_solve", solved)
    assert Prepared(program_of(tmp_path, BROKEN)).cfa
    assert steps[0] * 3 < steps[1] * 2, "the states that believe a broken promise are left"


def test_a_number_that_counts_without_end_takes_few_rounds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rounds: Counter[int] = Counter()
    after = Relations.after

    def counted(self: Relations, operation: Operation, before: State) -> State | None:
        rounds[id(operation)] += 1
        return after(self, operation, before)

    prepared = Prepared(program_of(tmp_path, RING))
    cfa = prepared.cfa
    monkeypatch.setattr(Relations, "after", counted)
    assert Relations(prepared.inlined, cfa).at
    assert max(rounds.values()) <= MOST_ROUNDS


def test_what_grows_stops_at_the_next_landmark() -> None:
    known, joint = Zone(), Zone()
    known.bounds |= {1: (0, 3), 2: (0, 3), 3: (0, 3)}
    joint.bounds |= {1: (0, 4), 2: (-1, 3), 3: (0, 3)}
    widen(known, joint, [(1, 1), (2, 2), (3, 3)], {1: [0, 16], 2: [0, 16], 3: []}.__getitem__)
    assert joint.bounds == {0: (0, 0), 1: (0, 16), 2: (-UNBOUNDED, 3), 3: (0, 3)}


QUEUE = """struct task { int id; };
struct queue { struct task *t[10]; int in, out, n; } q;
int main(void) {
    int id = 0, c;
    struct task *t;
    while ((c = getchar()) != -1) {
        if (c == 'a') {
            t = malloc(sizeof *t);
            if (!t) break;
            t->id = id++;
            if (q.n == 10) { free(t); break; }
            q.t[q.in] = t;
            if (++q.in == 10) q.in = 0;
            q.n++;
        } else if (q.n) {
            free(q.t[q.out]);
            if (++q.out == 10) q.out = 0;
            q.n--;
        }
    }
    return 0;
}
"""
MOST_ROUNDS_BESIDE_INDICES = 400
"""Times that an operation is applied where a number is only bounded by its difference from an index."""


def test_a_number_beside_indices_comes_to_an_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The preparation did not end: the number was bounded by 951, 961, 971, ... again after each widening."""
    rounds: Counter[int] = Counter()
    after = Relations.after

    def counted(self: Relations, operation: Operation, before: State) -> State | None:
        rounds[id(operation)] += 1
        assert rounds[id(operation)] < MOST_ROUNDS_BESIDE_INDICES
        return after(self, operation, before)

    monkeypatch.setattr(Relations, "after", counted)
    assert Prepared(program_of(tmp_path, QUEUE)).cfa.edges
