"""Recursive functions: what is proved of them, what must be reported, and what cannot be followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.cfa.operations import Call, Enter, Invoke, Leave
from kleene.passes.calls.tail_calls import without_tail_recursion
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import whole_program
from kleene.results.shape import ShapeResult

from .translated import program_of

LIST = """
static struct node *make(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->data = __VERIFIER_nondet_int(); n->next = l; l = n;
  }
  return l;
}
static void destroy(struct node *l) { if (l) { destroy(l->next); free(l); } }
"""


def run(folder: Path, functions: str, main: str) -> ShapeResult:
    text = f"{LIST}{functions}\nint main(void) {{ {main} return 0; }}\n"
    return analyse(Prepared(program_of(folder, text)), malloc_may_fail=False, seconds=30)


def kinds(folder: Path, functions: str, main: str) -> set[str]:
    result = run(folder, functions, main)
    assert result.complete, result.reason
    return {alarm.kind for alarm in result.alarms}


PROVED = {
    "free": ("", "destroy(make());"),
    "length": (
        "static int length(struct node *l) { return l ? 1 + length(l->next) : 0; }",
        "struct node *l = make(); int n = length(l); destroy(l); if (n) n = 0;",
    ),
    "append": (
        "static struct node *append(struct node *a, struct node *b) {"
        " if (!a) return b; a->next = append(a->next, b); return a; }",
        "destroy(append(make(), make()));",
    ),
    "result in a cell": (
        "static struct node *drop(struct node *l) { if (!l) return NULL; struct node *n = drop(l->next);"
        " if (l->data) { free(l); return n; } l->next = n; return l; }",
        "struct node *l = drop(make()); destroy(l);",
    ),
    "global": (
        "static struct node *g; static void pop(void) { struct node *n = g; if (n) { g = n->next; pop(); free(n); } }",
        "g = make(); pop();",
    ),
    "global that the callee does not name": (
        "static struct node *g; static struct node *last(struct node *l) {"
        " if (!l->next) return l; struct node *m = last(l->next); m->data = 1; return m; }",
        "g = make(); if (g) last(g)->data = 2; destroy(g);",
    ),
    "address of a local": (
        "static void fill(struct node **p) { struct node *own = NULL; if (__VERIFIER_nondet_int()) fill(&own);"
        " struct node *n = malloc(sizeof *n); n->next = own; *p = n; }",
        "struct node *l = NULL; fill(&l); destroy(l);",
    ),
    "small integers": (
        "static struct node *stack(int k) { if (k == 0) return NULL; struct node *n = malloc(sizeof *n);"
        " n->next = stack(k - 1); return n; }",
        "struct node *l = stack(2); l->next->data = 1; destroy(l);",
    ),
    "exit with nothing left": (
        "static void stop(int k) { if (k) stop(k - 1); else exit(1); }",
        "stop(__VERIFIER_nondet_int());",
    ),
    "never returns": (
        "static void on(struct node *l) { on(l); if (l) free(l); }",
        "on(NULL); struct node *l; l->data = 1;",
    ),
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str, tmp_path: Path) -> None:
    assert kinds(tmp_path, *PROVED[name]) == set()


RAISED = {
    "freed twice": ("", "struct node *l = make(); destroy(l); destroy(l);", "dangling_dereference"),
    "used after": ("", "struct node *l = make(); destroy(l); if (l) l->data = 1;", "dangling_dereference"),
    "lost in the callee": (
        "static void half(struct node *l) { if (l) { half(l->next); if (l->data) free(l); } }",
        "half(make());",
        "memory_leak",
    ),
    "lost by the caller": (
        "static void walk(struct node *l) { if (l) { walk(l->next); l->data = 0; } }",
        "walk(make());",
        "memory_leak",
    ),
    "result lost": (
        "static struct node *grow(int k) { if (!k) return NULL; struct node *n = malloc(sizeof *n);"
        " n->next = NULL; grow(k - 1); return n; }",
        "destroy(grow(3));",
        "memory_leak",
    ),
    "caller's pointer dangles": (
        "static struct node *pop(struct node *l) { if (!l) return NULL; if (l->data) { struct node *n = l->next;"
        " free(l); return n; } l->next = pop(l->next); return l; }",
        "struct node *l = make(); struct node *m = l ? l->next : NULL; l = pop(l); if (m) m->data = 1; destroy(l);",
        "dangling_dereference",
    ),
    "null at the end": (
        "static int last(struct node *l) { int k = last(l->next); return k + 1; }",
        "struct node *l = make(); last(l); destroy(l);",
        "null_dereference",
    ),
    "exit with blocks of the caller": (
        "static void stop(int k) { if (k) stop(k - 1); else exit(1); }",
        "struct node *l = malloc(sizeof *l); stop(2); free(l);",
        "memory_cleanup",
    ),
    "freed through another argument": (
        "static void both(struct node *a, struct node *b) { if (a) { both(a->next, b); a->data = 1; } else free(b); }",
        "struct node *l = make(); if (l) both(l, l);",
        "dangling_dereference",
    ),
    "no result": (
        "static struct node *pick(struct node *l) { if (!l) return NULL; struct node *m = pick(l->next);"
        " if (m) return m; if (l->data) return l; }",
        "struct node *l = make(); struct node *m = pick(l); if (m) m->data = 1; destroy(l);",
        "uninitialized_pointer",
    ),
    "global that the callee does not name dangles": (
        "static struct node *g;",
        "g = make(); destroy(g); if (g) g->data = 1;",
        "dangling_dereference",
    ),
    "global that a deeper callee changes": (
        "static struct node *g; static void f(int k); static void h(int k) { if (k) f(k - 1); else g = NULL; }"
        " static void f(int k) { h(k); if (!k) free(malloc(1)); }",
        "g = malloc(sizeof *g); f(3);",
        "memory_leak",
    ),
    "global changed": (
        "static struct node *g; static void cut(int k) { if (k) cut(k - 1); else { free(g); g = NULL; } }",
        "g = malloc(sizeof *g); g->next = NULL; struct node *m = g; cut(2); m->data = 1;",
        "dangling_dereference",
    ),
}


@pytest.mark.parametrize("name", RAISED)
def test_reported(name: str, tmp_path: Path) -> None:
    functions, main, kind = RAISED[name]
    assert kind in kinds(tmp_path, functions, main)


def test_what_only_back_pointers_hold_is_lost_though_the_callee_does_not_return(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
struct node { struct node *next, *prev; };
static void cut(struct node *l, int k) {
  if (k > 0) { cut(l, k - 1); free(malloc(1)); return; }
  l->prev = NULL;
  for (;;) ;
}
int main(void) {
  struct node *first = malloc(sizeof *first), *last = malloc(sizeof *last);
  first->prev = NULL; last->next = NULL; first->next = last; last->prev = first;
  first = NULL;
  cut(last, 3);
  return 0;
}
"""
    result = analyse(Prepared(program_of(tmp_path, text, "")), malloc_may_fail=False, seconds=10)
    assert {alarm.kind for alarm in result.alarms} == {"memory_leak"}


def test_what_cannot_be_followed_is_said(tmp_path: Path) -> None:
    by_value = (
        "union word { long number; struct node *node; };"
        " static void f(union word w) { if (w.number) f(w); free(malloc(1)); }"
    )
    assert kinds(tmp_path, by_value, "union word w = { .number = 1 }; f(w);") == {"unsupported"}


def test_main_that_is_called_again_is_given_up(tmp_path: Path) -> None:
    text = "int main(void) { if (__VERIFIER_nondet_int()) main(); return 0; }\n"
    result = analyse(Prepared(program_of(tmp_path, text)), malloc_may_fail=False, seconds=5)
    assert not result.complete and "main is called again" in result.reason


def test_tail_recursion_becomes_a_loop(tmp_path: Path) -> None:
    text = (
        "static struct node *last(struct node *l, struct node *before)"
        " { if (!l) return before; return last(l->next, l); }\n"
        "int main(void) { last(NULL, NULL); return 0; }\n"
    )
    program = without_tail_recursion(program_of(tmp_path, text))
    assert program.recursive_functions == frozenset()
    labels = [str(edge.label) for edge in program.functions["last"].cfa.edges]
    first, second = labels.index("$next.l = l->next"), labels.index("$next.before = l")
    assert max(first, second) < min(labels.index("l = $next.l"), labels.index("before = $next.before"))


@pytest.mark.parametrize(
    "body",
    [
        "if (!l) return 0; return 1 + f(l->next);",
        "if (!l) return 0; int k = f(l->next); free(l); return k;",
        "struct node n; if (!l) return 0; n.next = l; return f(n.next->next ? &n : NULL);",
        "int k = f(l); return 0;",
    ],
)
def test_other_calls_stay(tmp_path: Path, body: str) -> None:
    text = f"static int f(struct node *l) {{ {body} }}\nint main(void) {{ return f(NULL); }}\n"
    assert without_tail_recursion(program_of(tmp_path, text)).recursive_functions == {"f"}


def test_procedures_are_parts_of_one_automaton(tmp_path: Path) -> None:
    text = LIST + "int main(void) { struct node *l = make(); destroy(l); return 0; }\n"
    program = whole_program(program_of(tmp_path, text))
    assert list(program.functions) == ["main"]
    labels = [edge.label for edge in program.main.cfa.edges]
    assert not any(isinstance(label, Call) for label in labels)
    (enter,) = [label for label in labels if isinstance(label, Enter)]
    assert [p.name for p in enter.parameters] == ["destroy.l"]
    calls = [label for label in labels if isinstance(label, Invoke)]
    assert {call.parameters for call in calls} == {enter.parameters}
    assert [call.arguments[0].name for call in calls] == ["l", "destroy.$arg1"]
    assert sum(isinstance(label, Leave) for label in labels) == 1
    inside = {e.source for e in program.main.cfa.edges if e.source.startswith("destroy:")}
    assert not inside & program.main.cfa.reachable  # only calls lead there
