"""Tables of lists whose nodes own texts: each test is a program, or a rule, without which a hash table was UNKNOWN."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import program_of

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import expressions
from kleene.logic.formula import Atom, conj, disj, exists
from kleene.logic.vocabulary import Predicate
from kleene.passes.facts.integers import running_numbers
from kleene.passes.facts.liveness import live_before
from kleene.passes.facts.relations.zones import Zone
from kleene.passes.preparation import Prepared
from kleene.passes.rewrite import operations_of
from kleene.transformers.rules import definition_rules

LIST = """struct entry { char *key; struct entry *next; } *list;
static void end(void) { while (list) { struct entry *e = list; list = e->next; free(e->key); free(e); } }
"""
PROVED = {
    "a copy by strcpy": """static char *copy(const char *s) {
    char *p = malloc(strlen(s) + 1);
    if (p) strcpy(p, s);
    return p;
}
int main(void) {
    char k[32];
    while (scanf("%31s", k) == 1) {
        struct entry *e = malloc(sizeof *e);
        unsigned hash = 0;
        for (char *p = k; *p; p++) hash = hash * 31 + *p;
        e->key = copy(k);
        e->next = list;
        list = e;
    }
    end();
    return 0;
}""",
    "a copy by memcpy into a block of zeros": """int main(void) {
    char k[32];
    while (scanf("%31s", k) == 1) {
        struct entry *e = calloc(1, sizeof *e);
        size_t length = strlen(k);
        e->key = malloc(length + 1);
        memcpy(e->key, k, length + 1);
        e->next = list;
        list = e;
        if (strcmp(list->key, "x") == 0) break;
    }
    end();
    return 0;
}""",
    "an index by the class of a letter": """int main(int argc, char **argv) {
    char *seen = calloc(26, 1);
    for (char *w = argv[0]; *w; w++) {
        if (!((unsigned char)*w >= 'a' && (unsigned char)*w <= 'z')) continue;
        seen[*w - 'a'] = 1;
    }
    free(seen);
    return 0;
}""",
    "a text from its second letter on": """int main(void) {
    char k[32];
    while (fgets(k, sizeof k, stdin)) {
        k[strcspn(k, "\\n")] = '\\0';
        if (k[0] != '~') continue;
        char *rest = k + 1;
        for (int i = 0; rest[i] != '\\0'; i++) putchar(rest[i]);
    }
    return 0;
}""",
}


@pytest.mark.parametrize("name", PROVED)
def test_it_is_proved_by_the_first_attempt(name: str, tmp_path: Path) -> None:
    """These had alarms about texts; some were proved by `ranges` in the end, after all attempts before it."""
    prepared = Prepared(program_of(tmp_path, LIST + PROVED[name]))
    result = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=False, seconds=60)
    assert result is not None
    assert result.complete, result.reason
    assert not result.alarms


def test_slots_die_with_the_function_that_looked_them_up(tmp_path: Path) -> None:
    """They were live to every possible error, so those of functions that had returned told structures apart."""
    text = """struct table { struct node *buckets[40]; };
static void put(struct table *t, unsigned key, const char *name) {
    unsigned i = key % 40;
    struct node *n = malloc(sizeof *n);
    n->data = (int)strlen(name);
    n->next = t->buckets[i];
    t->buckets[i] = n;
}
int main(int argc, char **argv) {
    struct table *t = calloc(1, sizeof *t);
    char *name = malloc(9);
    while (__VERIFIER_nondet_int()) put(t, __VERIFIER_nondet_int(), name);
    return 0;
}"""
    cfa = Prepared(program_of(tmp_path, text)).cfa
    nodes = {n for edge in cfa.edges for x in expressions(edge.label) for n in walk(x)}
    slots = {n for n in nodes if isinstance(n, Variable) and "buckets[" in n.name and n.name.endswith("]")}
    assert slots
    live = live_before(cfa, slots)
    assert any(live[e.source] for e in cfa.edges if e.label.place.function == "put")
    assert not any(live[e.source] for e in cfa.edges if e.label.place.function == "main")


def test_many_cells_keep_the_rules_of_their_definition() -> None:
    """The closure of a definition was dropped if the normal form of its negation was too long: here, of 2 to the 12."""
    cells = [f"c{i}" for i in range(12)]
    pairs = zip(cells, [*cells[1:], cells[0]], strict=True)
    two = [exists(["w"], conj(Atom(a, ("w", "v")), Atom(b, ("w", "v")))) for a, b in pairs]
    rules = definition_rules(Predicate("is", 1, ("v",), definition=disj(*two)), single_literals=True)
    assert "!is(v) & c1(w0, v) ==> !c0(w0, v)" in map(str, rules)


def test_bounds_follow_from_differences() -> None:
    """After a widening, ``i < n`` and ``n <= 79`` did not say that i is less than 79."""
    zone = Zone()
    zone.bounds |= {1: (0, 1000), 2: (0, 79), 3: (-1000, 1000)}
    zone.gaps = {(1, 2): -1, (3, 1): 0}
    zone.tighten()
    assert zone.bounds == {0: (0, 0), 1: (0, 78), 2: (1, 79), 3: (-1000, 78)}


def test_differences_that_contradict_each_other_have_an_end() -> None:
    zone = Zone()
    zone.bounds |= {1: (0, 1 << 60), 2: (0, 1 << 60)}
    zone.gaps = {(1, 2): -1, (2, 1): 0}
    zone.tighten()
    assert zone.bounds[1][1] <= 1 << 60


def test_numbers_that_run(tmp_path: Path) -> None:
    """A count that is compared with a size runs; one that is compared with 0 does not, nor does the size."""
    text = """int main(void) {
    unsigned size = 8, count = 0, left = 5;
    while (__VERIFIER_nondet_int()) {
        if (count >= size) { size = 16; }
        count++;
        if (left == 0) break;
        left--;
    }
    return 0;
}"""
    assert {v.name for v in running_numbers(operations_of(program_of(tmp_path, text)))} == {"count"}
