"""A slice of `make fuzz`: no attempt calls a property TRUE that a compiled run violates; and the tools that say so."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from tests.fuzz_c import attempts
from tests.fuzz_c.attempts import ALL, CONTRACTS, FESA, GROUPS, REFINE, WHOLE, Attempt, attempts_for
from tests.fuzz_c.candidates import Candidate
from tests.fuzz_c.mutants import edits
from tests.fuzz_c.oracle import GCC, judge
from tests.fuzz_c.run import Runner
from tests.fuzz_c.shrink import shrink
from tests.fuzz_c.sources import TOPICS, candidates, corpus

PROGRAMS = 8
"""Programs of a topic that are compiled together. Half of them are wrong, of `blocks` a third, of `chosen` a fifth."""
UNSAFE = 2
"""Wrong programs of each topic."""
BATCHES = 4
"""The most batches that are compiled to find them."""
FIRST = 7_000_000
"""The first seed: longer runs begin elsewhere."""
EACH = 2.0
"""Seconds of the processor for each attempt."""
needs_gcc = pytest.mark.skipif(GCC is None, reason="needs a C compiler")

HEAD = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
"""
SHOWN = [
    ("int *p = NULL; return *p;", {"memsafety"}),
    ("int *p = malloc(4); free(p); return *p;", {"memsafety"}),
    ("int *p = malloc(4); free(p); free(p);", {"memsafety"}),
    ("int *p = malloc(8); free(p + 1);", {"memsafety"}),
    ("int a[2]; int i = 2; a[i] = 1;", {"memsafety"}),
    ("static int *p; p = malloc(4); exit(0);", {"memcleanup"}),
    ("void (*release)(void *) = free; int *p = malloc(4); release(p);", set()),
    ("int *p = malloc(4); p = NULL;", {"memsafety", "memcleanup"}),
    ("int *p = malloc(4); abort();", set()),
    ("assert(__VERIFIER_nondet_int() != 1);", {"assert"}),
    ("if (__VERIFIER_nondet_int() == 778) reach_error();", {"unreach"}),
    ("int i = 2147483647; i += 1; return i;", set()),
    ("int i = 0; return 1 / i;", set()),
    ("for (;;) ;", set()),
    ("for (;;) malloc(4);", set()),
    ("int *p = malloc(4); if (p) free(p); else *p = 1;", {"memsafety"}),
]


def test_no_program_of_the_corpus_names_a_function_in_a_text() -> None:
    """The harness renames functions, but not inside texts: a weak reference would stand for nothing."""
    assert not {"weak_reference.c", "alias.c", "label_of_a_definition.c"} & {file.name for file in corpus()}


@needs_gcc
def test_the_oracle_shows_what_is_wrong_and_nothing_else(tmp_path: Path) -> None:
    programs = [
        Candidate(f"here:{number}", f"{HEAD}int main(void) {{ {body} return 0; }}\n", malloc_may_fail="else *p" in body)
        for number, (body, _) in enumerate(SHOWN)
    ]
    shown = judge([*programs, Candidate("no program", "int main(void) { return x; }")], tmp_path, runs=30)
    assert [(s.candidate.text, set(s.violations)) for s in shown] == [
        (p.text, violated) for p, (_, violated) in zip(programs, SHOWN, strict=True)
    ]


@needs_gcc
def test_programs_with_the_same_names_are_compiled_together(tmp_path: Path) -> None:
    texts = [
        f"{HEAD}#define N {n}\nenum e {{ A = N }};\ntypedef struct s {{ int a; }} T;\n"
        "static int f(T *t) { return t->a; }\n"
        f"int (*g)(T *) = f;\nint main(void) {{ T t = {{ A }}; assert(g(&t) == 1); return 0; }}\n"
        for n in (1, 2)
    ]
    shown = judge([Candidate(f"here:{n}", text) for n, text in enumerate(texts)], tmp_path, runs=2)
    assert [set(s.violations) for s in shown] == [set(), {"assert"}]


@needs_gcc
@pytest.mark.parametrize("topic", TOPICS)
def test_no_attempt_proves_what_a_run_violates(tmp_path: Path, topic: str) -> None:
    runner = Runner(tmp_path, EACH, groups=1)
    programs = candidates((topic,), FIRST)
    for _ in range(BATCHES):
        if runner.tally.unsafe.total() < UNSAFE:
            runner.batch(list(islice(programs, PROGRAMS)))
    assert runner.tally.wrong == []
    assert runner.tally.crashes == []
    assert runner.tally.unsafe.total() >= UNSAFE
    assert runner.tally.attempts.total() >= runner.tally.unsafe.total()


@needs_gcc
def test_a_wrong_proof_is_reported_and_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt that calls everything with `free` in it TRUE: the runner must notice."""
    believer = Attempt("believer", lambda path, *_: frozenset(["assert"] if "free" in path.read_text() else []))
    monkeypatch.setattr("tests.fuzz_c.run.attempts_for", lambda *_: [believer])
    body = "  int i = 0;\n  i = i + 1;\n  free(NULL);\n  assert(__VERIFIER_nondet_int() != 1);\n"
    runner = Runner(tmp_path, EACH, keep=tmp_path / "kept")
    runner.batch([Candidate("here:3", f"{HEAD}int main(void) {{\n{body}  return 0;\n}}\n")])
    assert len(runner.tally.wrong) == 1
    (kept,) = (tmp_path / "kept").glob("wrong-*.c")
    assert kept.read_text().startswith("// assert is TRUE by 'believer'; inputs ")
    assert "i = i + 1" not in kept.read_text()
    assert "free(NULL)" in kept.read_text()


def test_every_attempt_meets_some_program() -> None:
    plain, contracts = Candidate("here:1", "int main(void) { return 0; }"), Candidate("here:2", "/*@ requires */")
    met = {attempt.name for number in range(200) for attempt in attempts_for(plain, number)}
    met |= {attempt.name for attempt in attempts_for(contracts, 0)}
    assert met == {attempt.name for attempt in ALL}
    assert all(len(attempts_for(plain, number, 1)) == 1 for number in range(9))
    assert len(GROUPS) + len(CONTRACTS) == len(attempts_for(contracts, 5))


LIST = """\
struct node { int d; struct node *next; };
int main(void) {
  struct node *p = NULL, *q = NULL;
  while (__VERIFIER_nondet_int()) {
    q = malloc(sizeof *q);
    if (!q) break;
    q->d = 0; q->next = p; p = q;
  }
  while (p) { q = p; p = p->next; free(q); }
  return 0;
}
"""
ARRAY = """\
struct node { struct node *next; };
int main(void) {
  struct node *a[4] = { NULL };
  while (__VERIFIER_nondet_int()) {
    int i = __VERIFIER_nondet_int() & 3;
    struct node **list = &a[i], *n = malloc(sizeof *n);
    if (!n) break;
    n->next = *list; *list = n;
  }
  for (int i = 0; i < 4; i++) while (a[i]) { struct node *n = a[i]; a[i] = n->next; free(n); }
  return 0;
}
"""
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "c"
ONCE = "int main(void) { int *p = malloc(4); if (!p) return 1; *p = 0; free(p); return 0; }\n"
BELOW = "int main(void) { int i = __VERIFIER_nondet_int(); if (i < 3) assert(i < 4); return 0; }\n"
SAME = "int main(void) { int i = __VERIFIER_nondet_int(), j = i; assert(i <= j); return 0; }\n"
TURN = """
struct t { struct t *a, *b; };
int main(void) {
    struct t *p = calloc(1, sizeof *p);
    if (!p) return 1;
    p->a = calloc(1, sizeof *p);
    p->b = p->a;
    p->a = NULL;
    if (p->b && p->b != p) free(p->b);
    free(p);
    return 0;
}
"""
UNREAD = """
struct node { int d; struct node *next, *prev; };
int main(void) {
  struct node *p = NULL;
  int key = __VERIFIER_nondet_int(), met = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *q = malloc(sizeof *q);
    if (!q) break;
    q->d = __VERIFIER_nondet_int(); q->prev = NULL; q->next = p;
    if (p) p->prev = q;
    p = q;
  }
  for (struct node *q = p; q; q = q->next) if (q->d == key) met = 1;
  while (p) {
    struct node *q = p->next;
    if (p->next && p->next->d == key) met = 0;
    if (p->d == key) met = 1;
    if (p->d == key && !met) free(q);
    free(p); p = q;
  }
  return 0;
}
"""
APPLIES = {
    "shape, calls": (EXAMPLES / "language" / "levels.c").read_text(encoding="utf-8"),
    "shape, counts": (EXAMPLES / "counts" / "queue.c").read_text(encoding="utf-8"),
    "shape, counts of steps": (EXAMPLES / "counts" / "counted_down.c").read_text(encoding="utf-8"),
    "shape, counts alone": (EXAMPLES / "counts" / "rounds.c").read_text(encoding="utf-8"),
    "shape, comparisons": (EXAMPLES / "trees" / "search_then_insert.c").read_text(encoding="utf-8"),
    "shape, unread": (EXAMPLES / "trees" / "binomial_heap.c").read_text(encoding="utf-8"),
    "shape, unread and comparisons": HEAD + UNREAD,
    "shape, unread and loads": (EXAMPLES / "dll" / "merge_sort.c").read_text(encoding="utf-8"),
    "shape, unread and outcomes and loads": HEAD + UNREAD,
    "shape, local": (EXAMPLES / "skip" / "three_levels.c").read_text(encoding="utf-8"),
    "shape, owned": (EXAMPLES / "arrays" / "heap_of_jobs.c").read_text(encoding="utf-8"),
    "shape, choices": HEAD + ARRAY,
    "shape, tags": (EXAMPLES / "data" / "expressions.c").read_text(encoding="utf-8"),
    "shape, moves": HEAD + TURN,
    "shape, moves, outcomes and loads": HEAD + TURN,
    "shape, cursors": (EXAMPLES / "sll" / "cursors.c").read_text(encoding="utf-8"),
    "shape, members": (EXAMPLES / "nested" / "stations.c").read_text(encoding="utf-8"),
    "shape, loose": (EXAMPLES / "nested" / "managers.c").read_text(encoding="utf-8"),
    "shape, loose, no numbers": (EXAMPLES / "nested" / "managers.c").read_text(encoding="utf-8"),
    "shape, optional nodes": (EXAMPLES / "nested" / "list_of_lists.c").read_text(encoding="utf-8"),
    "shape, slices": (EXAMPLES / "nested" / "header_of_lists.c").read_text(encoding="utf-8"),
    "shape, loads": (EXAMPLES / "sll" / "insertion_sort.c").read_text(encoding="utf-8"),
    "shape, outcomes and loads": (EXAMPLES / "trees" / "search_then_insert.c").read_text(encoding="utf-8"),
    "shape, first rounds": (EXAMPLES / "circular" / "circle_of_n.c").read_text(encoding="utf-8"),
    "shape, ranges": HEAD + BELOW,
    "shape, order": HEAD + SAME,
    "fesa, no instrumentation": HEAD + ONCE,
    "fesa, all plans without instrumentation": HEAD + ONCE,
    "contracts": (EXAMPLES / "contracts" / "list.c").read_text(encoding="utf-8"),
}
"""Programs for the attempts that need something of a program."""
MOST_SECONDS = 60.0
"""For one of them: the slowest takes 4 s of the processor, and other processes may have the rest."""


@pytest.mark.parametrize(
    "attempt", [*attempts.ROWS, *FESA, *WHOLE, *REFINE, *CONTRACTS], ids=lambda attempt: attempt.name
)
def test_every_attempt_proves_something(tmp_path: Path, attempt: Attempt) -> None:
    """An attempt that never proves anything, because it is called in a wrong way, would never be wrong."""
    path = tmp_path / "program.c"
    text = APPLIES.get(attempt.name, HEAD + LIST)
    path.write_text(text, encoding="utf-8")
    proved, refused = attempts.prove(attempt, path, Candidate("here:0", text, malloc_may_fail=True), MOST_SECONDS)
    assert refused == ""
    assert proved is not None
    assert "memsafety" in proved


def test_mutants_are_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(
        "#include <stdlib.h>\nstruct n { struct n *a, *b; int i; };\n"
        "int main(void) { struct n *p = malloc(sizeof *p), *q = p; if (p && q) p->a = q; else return 1;\n"
        "while (p->i < 3) p->i++; free(p); q = NULL; return 0; }\n"
    )
    text = path.read_bytes()
    made = {edit.kind: edit.apply(text).decode() for edit in edits(path)}
    statements, conditions = {"delete", "duplicate", "swap"}, {"negate", "always", "never", "drop test"}
    assert set(made) == statements | conditions | {"variable", "member", "constant", "operator", "size"}
    assert "sizeof *p) / 2" in made["size"]
    assert "p->b = q" in made["member"]


def test_shrinking_deletes_what_is_not_needed() -> None:
    text = "\n".join(["main {", *(f"line {n};" for n in range(30)), "}", ""])
    assert shrink(text, lambda smaller: "line 17;" in smaller) == "main {\nline 17;\n}\n"
