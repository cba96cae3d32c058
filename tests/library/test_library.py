"""Libraries without `main`: every example is proved, and one-line errors in single functions are shown with a run.

`make test` runs a slice (`tests/slices.py`); `make exam` runs everything.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.library.mutants import checked, error_of, mutants
from tests.slices import EXAM

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.client.text import write_client
from kleene.analysis.c.library.inference import trials
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.analysis.c.library.interface.object_types import object_types
from kleene.analysis.c.library.readings.candidates import readings
from kleene.analysis.c.library.readings.operations import Fate, Outcome, Role
from kleene.analysis.c.options import check_options
from kleene.c.options import DEFAULT
from kleene.cli import run_main
from kleene.core.verdict import Verdict
from kleene.results.library import FunctionVerdict

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "library"
LIBRARIES = sorted(p.name for p in EXAMPLES.iterdir() if p.suffix in (".c", ".h"))
MANY_RUNS = 60
"""Random runs that refute a false sentence: most end at once, with no object or at an assertion."""
_SECONDS = 120.0
"""A library takes 3 to 10 s alone; tests may share two cores with others."""

ERRORS = [
    ("list.c", "if (l->head == NULL)\n        l->tail = n;", "", "an empty list gets no tail"),
    ("list.c", "    if (l->head == NULL)\n        l->tail = NULL;\n", "", "the tail dangles"),
    ("list.c", "if (l->tail == x)\n        l->tail = last;", "", "the tail dangles after a removal"),
    ("list.c", "    free(l);\n", "", "the header is lost"),
    ("list.c", "    n->next = NULL;\n", "", "next is not initialised"),
    (
        "dlist.c",
        "    if (n->next)\n        n->next->prev = n->prev;\n    else\n        d->last = n->prev;",
        "",
        "no back link",
    ),
    ("dlist.c", "    free(n);\n    d->count--;", "    d->count--;", "the removed node is lost"),
    ("dlist.c", "d->first = d->last = NULL;", "d->first = NULL;", "the last node dangles"),
    ("ring.c", "    if (n == r) {\n        free(r);\n        return NULL;\n    }\n", "", "a ring of one frees itself"),
    (
        "round.c",
        "            if (r->current == p)\n                r->current = before == p ? NULL : before;\n",
        "",
        "dangles",
    ),
    ("stack.c", "    f->below = s->top;\n", "", "below is not initialised"),
    ("stack.c", "    free(*s);\n    *s = NULL;", "    free(*s);", "the pointer of the caller dangles"),
    ("queue.c", "    if (!q->front)\n        q->rear = NULL;\n", "", "the rear dangles"),
    ("tree.c", "    if (!*p)\n        return -1;\n", "", "a missing NULL test"),
    ("tree.c", "    free_nodes(n->right);\n    free(n);", "    free(n);\n    free_nodes(n->right);", "use after free"),
    ("link.h", "    e->next->prev = e->prev;\n", "", "prev of the next element dangles"),
    (
        "headless.c",
        "        prev->next = p->next;\n    else\n        head = p->next;",
        "        prev->next = p->next;",
        "first",
    ),
    ("pool.c", "    p->idle = NULL;\n}\n\nvoid pool_finish", "}\n\nvoid pool_finish", "trimmed slots are used again"),
    ("deque.c", "    c->next->prev = c->prev;\n", "", "prev dangles"),
    ("dlist.c", "    free(d);\n", "", "a destructor that only empties the list"),
    ("table.c", "            t->buckets[i] = e->next;\n", "            ;\n", "the first entry of a chain dangles"),
    ("table.c", "    free(t->buckets);\n", "", "the buckets are lost"),
    ("table.c", "i < t->nbuckets", "i + 1 < t->nbuckets", "the last chain is lost"),
]


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_function_of_a_library_is_proved(name: str) -> None:
    report = check_library(str(EXAMPLES / name), check_options(timeout=_SECONDS))
    assert {f.name: str(f.verdict) for f in report.functions} == {f.name: "TRUE" for f in report.functions}
    assert report.check is not None
    assert report.check.coverage is None or report.check.coverage.states > 0


@pytest.mark.parametrize(("name", "old", "new", "what"), ERRORS, ids=[f"{e[0]}-{e[3]}" for e in ERRORS])
def test_an_error_in_one_function_is_shown_with_its_operations(
    name: str, old: str, new: str, what: str, tmp_path: Path
) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert old in text, "the example has changed"
    broken = tmp_path / name
    broken.write_text(text.replace(old, new, 1), encoding="utf-8")
    report = check_library(str(broken), check_options(timeout=_SECONDS))
    errors = [f for f in report.functions if f.verdict is Verdict.FALSE]
    assert errors, [(f.name, str(f.verdict), f.reason) for f in report.functions]
    assert all(f.finding is not None and f.finding.confirmed and f.run is not None and f.sequence for f in errors)


@pytest.mark.parametrize("name", [n for n in LIBRARIES if n not in ("link.h", "table.c")])
def test_no_mutant_that_fails_in_a_compiled_run_is_proved(name: str, tmp_path: Path) -> None:
    """The readings are guesses: none may hide an error of a function behind another reading of it."""
    client = check_library(str(EXAMPLES / name), check_options(timeout=_SECONDS)).client
    assert not error_of(client, EXAMPLES / name, tmp_path), "the client does not call the correct library correctly"
    broken = tmp_path / name
    tried = 0
    for mutant in list(mutants((EXAMPLES / name).read_text(encoding="utf-8")))[:: 29 if EXAM else 59]:
        broken.write_text(mutant.text, encoding="utf-8")
        error = error_of(client, broken, tmp_path)
        if error:
            tried += 1
            report = check_library(str(broken), check_options(timeout=20.0))
            assert report.verdict is not Verdict.TRUE, (mutant.name, error)
    assert tried or not EXAM


@pytest.mark.parametrize(
    ("name", "variable", "members", "false"),
    [
        ("dlist.c", "dlist_1", [], "p->first is NULL, or p->first->next is NULL"),
        ("list.c", "list_1", [], "p->head is NULL, or p->head->next is NULL"),
        ("round.c", "round_1", ["current"], "next leads to NULL: no cycle"),
        ("stack.c", "stack_1", ["top"], "p->top is NULL, or p->top->below is NULL"),
    ],
)
def test_the_heaps_of_compiled_runs_satisfy_the_invariant(
    name: str, variable: str, members: list[str], false: str, tmp_path: Path
) -> None:
    """A precondition is never stronger than what the functions establish; a sentence that is false ends a run."""
    report = check_library(str(EXAMPLES / name), check_options(timeout=_SECONDS))
    facts = next(iter(report.invariants.values()))
    client = checked(report.client, variable, facts, members)
    assert error_of(client, EXAMPLES / name, tmp_path) == ""
    wrong = checked(report.client, variable, [*facts, false], members)
    assert error_of(wrong, EXAMPLES / name, tmp_path, MANY_RUNS) == "no invariant"


def test_the_roles_of_a_list_with_a_header() -> None:
    interface = read_interface(str(EXAMPLES / "list.c"), DEFAULT)
    types = object_types(interface)
    first = {f.name: readings(f, types)[0] for f in interface.functions}
    assert types.kept == ("struct list",)
    assert types.elements == {"struct node": "struct list"}
    assert first["list_new"].outcome is Outcome.NEW
    assert first["list_remove"].roles == (Role.OBJECT, Role.ELEMENT)
    assert first["list_free"].fate is Fate.ENDED


def test_null_is_an_object_of_a_list_without_a_header() -> None:
    """A precondition is never stronger than what the functions establish: an empty list is NULL."""
    interface = read_interface(str(EXAMPLES / "headless.c"), DEFAULT)
    types = object_types(interface)
    roles = {r for f in interface.functions for o in readings(f, types) for r in o.roles}
    assert Role.OBJECT not in roles
    assert Role.OBJECT_OR_NULL in roles


def test_a_client_compiles(tmp_path: Path) -> None:
    """The client is C that a compiler accepts without a warning about its calls."""
    interface = read_interface(str(EXAMPLES / "dlist.c"), DEFAULT)
    types = object_types(interface)
    client = write_client(
        interface, types, [readings(f, types)[0] for f in interface.functions], str(EXAMPLES / "dlist.c")
    )
    path = tmp_path / "client.c"
    path.write_text(client.text, encoding="utf-8")
    subprocess.run(["cc", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable", str(path)], check=True)
    for line, operation in client.lines.items():
        assert f"{operation.function.name}(" in client.text.splitlines()[line - 1]


def test_the_invariant_of_a_doubly_linked_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contracts, document = tmp_path / "contracts.h", tmp_path / "result.json"
    arguments = ["check", "--library", str(EXAMPLES / "dlist.c"), "--contracts-out", str(contracts)]
    assert run_main([*arguments, "--json", str(document)]) == 0
    output = capsys.readouterr().out
    assert "p->first and p->last are NULL together" in output
    assert "prev leads back: every block x has x->next->prev == x, unless x->next is NULL" in output
    assert "&& A(v) inv[next,prev](v)" in contracts.read_text(encoding="utf-8")
    assert json.loads(document.read_text(encoding="utf-8"))["schema"] == "kleene.library/1"


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("static int f(void) { return 0; }\n", ["--library"], "exports no function"),
        ("int f(void) { return 0; }\n", ["--function", "g"], "exports no function 'g'"),
        ("int f(void) { return 0; }\n", ["--library", "--contracts"], "exclude each other"),
        ("int f(void) { return 0; }\n", ["--client-out", "x.c"], "need --library"),
        ("int f(void) { return 0 }\n", ["--library"], "expected ';'"),
    ],
)
def test_bad_input_is_one_line(
    text: str, arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.c"
    file.write_text(text, encoding="utf-8")
    assert run_main(["check", str(file), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_function_without_a_maker_of_its_argument_is_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.c"
    file.write_text("struct hidden;\nint size(struct hidden *h, ...) { return h != 0; }\n", encoding="utf-8")
    assert run_main(["check", "--library", str(file)]) == 3
    assert "because: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("struct hidden;\nint id(struct hidden *h);\nint twice(struct hidden *h) { return h ? 2 * id(h) : 0; }\n", 3),
        (
            "struct ring { struct ring *next; };\nstruct head { struct ring *first; };\n"
            "int third(struct head *h) { return h->first->next->next == h->first; }\n",
            3,
        ),
        (
            "#include <stdlib.h>\nstruct n { struct n *next; };\nstruct l { struct n *head; };\n"
            "void push(struct l *l) { struct n *n = malloc(sizeof *n); if (n) { n->next = l->head; l->head = n; } }\n"
            "int empty(const struct l *l) { return !l->head; }\n",
            0,
        ),
    ],
    ids=["only NULL", "zeros are no object", "zeros are an object"],
)
def test_objects_that_no_function_makes(text: str, verdict: int, tmp_path: Path) -> None:
    """Calls with NULL alone once proved a function of an opaque type, and calls with garbage were errors."""
    file = tmp_path / "a.c"
    file.write_text(text, encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--quiet"]) == verdict


def test_a_trial_that_the_time_ends_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine under load, short trials accepted wrong readings, and the errors of these were reported."""
    monkeypatch.setattr(trials, "TRIAL_SECONDS", 0.0)
    report = check_library(str(EXAMPLES / "headless.c"), check_options(timeout=20.0))
    assert report.verdict is Verdict.UNKNOWN


def test_nothing_is_proved_of_objects_that_cannot_be_made(tmp_path: Path) -> None:
    """Where the constructor has an error, no client called the other functions: they were once proved vacuously."""
    file = tmp_path / "a.c"
    file.write_text(
        "#include <stdlib.h>\nstruct s { int n; };\n"
        "struct s *s_new(void) { struct s *x = malloc(sizeof *x); x->n = 0; return x; }\n"
        "void s_free(struct s *x) { free(x); free(x); }\n",
        encoding="utf-8",
    )
    verdicts = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=_SECONDS)).functions}
    assert verdicts == {"s_new": Verdict.FALSE, "s_free": Verdict.FALSE}


def test_the_page_of_a_library(tmp_path: Path) -> None:
    """`--html` was refused with `--library`: the invariant had no picture, and an error no film."""
    file, page = tmp_path / "a.c", tmp_path / "a.html"
    file.write_text(
        "#include <stdlib.h>\nstruct s { struct s *next; };\n"
        "struct s *push(struct s *x) { struct s *n = malloc(sizeof *n); if (!n) return x; n->next = x; return n; }\n"
        "struct s *second(struct s *x) { return x->next->next; }\n"
        "void free_all(struct s *x) { while (x) { struct s *n = x->next; free(x); x = n; } }\n",
        encoding="utf-8",
    )
    assert run_main(["check", "--library", str(file), "--html", str(page), "--quiet"]) == 1
    text = page.read_text(encoding="utf-8")
    for part in ("Errors on admissible inputs", "data-film", "no cycle", "/*@ requires", "<svg", "int main(void)"):
        assert part in text, part


def test_objects_that_share_blocks_are_not_proved(tmp_path: Path) -> None:
    """A client with one object of each type proves nothing about two objects in one list: this was once proved."""
    file = tmp_path / "a.c"
    file.write_text(
        "#include <stddef.h>\nstruct job { struct job *next; int *cost; };\nstruct plan { struct job *jobs; };\n"
        "void plan_init(struct plan *p) { p->jobs = NULL; }\n"
        "void job_init(struct job *j) { j->next = NULL; j->cost = NULL; }\n"
        "void plan_add(struct plan *p, struct job *j) { if (p->jobs != j) { j->next = p->jobs; p->jobs = j; } }\n"
        "int plan_cost(struct plan *p) { return p->jobs && p->jobs->next ? *p->jobs->cost : 0; }\n",
        encoding="utf-8",
    )
    verdicts = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=_SECONDS)).functions}
    assert verdicts["plan_cost"] is not Verdict.TRUE


def test_an_iterator_lives_between_two_operations(tmp_path: Path) -> None:
    """An iterator was called after its list had been freed, and reported as an error of the library."""
    file = tmp_path / "a.c"
    file.write_text(
        "#include <stdlib.h>\nstruct n { struct n *next; };\nstruct l { struct n *head; };\n"
        "struct it { struct n *at; };\n"
        "struct l *l_new(void) { return calloc(1, sizeof(struct l)); }\n"
        "void l_add(struct l *l) { struct n *x = malloc(sizeof *x); if (x) { x->next = l->head; l->head = x; } }\n"
        "void l_free(struct l *l) { while (l->head) { struct n *x = l->head; l->head = x->next; free(x); } free(l); }\n"
        "struct it *it_new(struct l *l) { struct it *i = malloc(sizeof *i); if (i) i->at = l->head; return i; }\n"
        "struct n *it_next(struct it *i) { struct n *x = i->at; if (x) i->at = x->next; return x; }\n"
        "void it_free(struct it *i) { free(i); }\n",
        encoding="utf-8",
    )
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert report.verdict is Verdict.TRUE, [(f.name, f.reason) for f in report.functions]


_COUNTED = (
    "#include <stdlib.h>\nstruct s { int *n; };\n"
    "struct s *s_new(void) { return calloc(1, sizeof(struct s)); }\n"
    "int s_value(struct s *x) { return x->n ? *x->n : 0; }\n"
    "void s_free(struct s *x) { if (x) free(x->n); free(x); }\n"
)


def test_a_change_that_breaks_a_stored_contract_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Stored readings are not inferred again, so that a change of a function cannot change how it is to be called."""
    file, stored = tmp_path / "a.c", tmp_path / "a.json"
    file.write_text(_COUNTED, encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--json", str(stored), "--quiet"]) == 0
    assert run_main(["check", "--library", str(file), "--readings", str(stored)]) == 0
    assert "contract:" not in capsys.readouterr().out
    file.write_text(_COUNTED.replace("x->n ? *x->n : 0", "*x->n"), encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--readings", str(stored)]) == 1
    assert "contract: s_value breaks its contract: s_new s_value" in capsys.readouterr().out
    file.write_text(_COUNTED.replace("int s_value(struct s *x)", "int s_value(int y, struct s *x)"), encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--readings", str(stored)]) == 3
    assert "does not fit its parameters any more" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": "kleene.library/1"}', '{"schema": "kleene.check/1"}'])
def test_a_bad_file_of_readings_is_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, stored = tmp_path / "a.c", tmp_path / "a.json"
    file.write_text(_COUNTED, encoding="utf-8")
    stored.write_text(text, encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--readings", str(stored)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_proof_states_which_functions_it_leaves_out(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "#include <stdlib.h>\nstruct s { int *n; };\n"
        "struct s *s_new(void) { return calloc(1, sizeof(struct s)); }\n"
        "int s_value(struct s *x) { return *x->n; }\n"
        "void s_free(struct s *x) { free(x); }\n",
        encoding="utf-8",
    )
    report = check_library(str(file), check_options(timeout=_SECONDS))
    by_name = {f.name: f for f in report.functions}
    assert by_name["s_value"].verdict is Verdict.FALSE
    assert by_name["s_free"].verdict is Verdict.TRUE
    assert "objects are made without s_value" in by_name["s_free"].precondition


LOG = """
#include <stdlib.h>
#include <string.h>
struct log { char last[8]; const char *kept; };
struct log *log_new(void) { return calloc(1, sizeof(struct log)); }
ADD
int log_first(struct log *l) { return l->kept ? l->kept[0] : 0; }
void log_free(struct log *l) { free(l); }
"""
KEYS = """
#include <stdlib.h>
struct key { void *item; struct key *next; };
struct keys { struct key *first; };
struct keys *keys_new(void) { return calloc(1, sizeof(struct keys)); }
int keys_add(struct keys *k, void *item) {
    struct key *n = malloc(sizeof *n);
    if (!n) return 0;
    n->item = item;
    n->next = k->first;
    k->first = n;
    return USE;
}
void keys_free(struct keys *k) {
    while (k->first) { struct key *n = k->first; k->first = n->next; free(n); }
    free(k);
}
"""


_SHORT = 5.0
"""Seconds for libraries of a few lines: their proofs take one second, and an UNKNOWN ends a test as well."""


def _verdicts(text: str, folder: Path) -> dict[str, FunctionVerdict]:
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    return {f.name: f for f in check_library(str(file), check_options(timeout=_SHORT)).functions}


def test_a_text_has_any_length(tmp_path: Path) -> None:
    """Three texts that are known were all: a copy into eight bytes was proved."""
    add = "void log_add(struct log *l, const char *text) { strcpy(l->last, text); }"
    assert _verdicts(LOG.replace("ADD", add), tmp_path)["log_add"].verdict is not Verdict.TRUE


def test_a_text_that_is_not_copied_has_to_live_on(tmp_path: Path) -> None:
    """A text was a literal, which no client frees: the precondition said nothing of it."""
    keep = "void log_keep(struct log *l, const char *text) { l->kept = text; }"
    sentences = _verdicts(LOG.replace("ADD", keep), tmp_path)["log_keep"].precondition
    assert sentences[:2] == ("l: an object", "text: a text that outlives the object")


@pytest.mark.parametrize(("use", "proved"), [("1", True), ("*(char *)item", False), ("item != NULL", True)])
def test_a_pointer_that_is_stored_points_nowhere(use: str, proved: bool, tmp_path: Path) -> None:
    """It pointed to an integer: a function that follows it was proved."""
    verdicts = {f.verdict for f in _verdicts(KEYS.replace("USE", use), tmp_path).values()}
    assert (verdicts == {Verdict.TRUE}) is proved


NUMBERS = """
#include <stddef.h>
int sum(const int *a, int n) { int s = 0; for (int i = 0; i < LIMIT; i++) s += a[i] > 0; return s; }
void fill(size_t n, char *a, int v) { for (size_t i = 0; i < n; i++) a[i] = v; }
"""


@pytest.mark.parametrize(("limit", "verdict"), [("n", Verdict.TRUE), ("n + 1", Verdict.FALSE)])
def test_an_array_has_as_many_elements_as_the_number_beside_it(limit: str, verdict: Verdict, tmp_path: Path) -> None:
    """A pointer to a number was one variable for a result: every function on arrays had an error."""
    functions = _verdicts(NUMBERS.replace("LIMIT", limit), tmp_path)
    assert functions["sum"].verdict is verdict, functions["sum"].reason
    assert "a: an array with as many elements as the number beside it" in functions["fill"].precondition


KEPT = """
#include <stdlib.h>
struct node { struct node *next; };
static struct node *head;
void list_init(void) { head = NULL; }
int list_push(void) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->next = head;
    head = n;
    return 1;
}
void list_cleanup(void) { while (head) { struct node *n = head; head = n->next; free(n); LOOP } }
"""


@pytest.mark.parametrize(("loop", "verdict"), [("", Verdict.TRUE), ("break;", Verdict.FALSE)])
def test_a_library_that_keeps_its_list_in_a_variable(loop: str, verdict: Verdict, tmp_path: Path) -> None:
    """To initialise the list again loses it, and what is left at the end was lost: both were errors."""
    file = tmp_path / "library.c"
    file.write_text(KEPT.replace("LOOP", loop), encoding="utf-8")
    report = check_library(str(file), check_options(timeout=30.0))
    assert report.verdict is verdict, [(f.name, f.reason) for f in report.functions]
    if verdict is Verdict.TRUE:
        first, last = report.functions[0], report.functions[-1]
        assert first.precondition == ("it is called once, before the others",)
        assert last.precondition == ("it is called once, after the others",)


BYTES = """
#include <stdlib.h>
#include <string.h>
struct pair { void *a, *b; };
struct pairs { struct pair p, q; };
struct pairs *pairs_new(void) { return calloc(1, sizeof(struct pairs)); }
void pairs_set(struct pairs *s, void *item) { s->p.a = s->p.b = item; }
void pairs_put(struct pairs *s, void *item) { s->q.a = s->q.b = item; }
int pairs_compare(struct pairs *s) {
    if (s->p.a && s->q.a && memcmp(&s->p, &s->q, sizeof s->p))
        *(int *)0 = 1;
    return 0;
}
void pairs_free(struct pairs *s) { free(s); }
"""


def test_stored_pointers_differ_where_their_bytes_are_compared(tmp_path: Path) -> None:
    """Where no code examines them, one pointer stands for all; debts that others had paid were an internal error."""
    functions = _verdicts(BYTES, tmp_path)
    assert functions["pairs_compare"].verdict is Verdict.FALSE


BOX = """
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
struct box { char *bytes; size_t size; };
struct box *box_new(size_t room) {
    struct box *b = malloc(sizeof *b);
    if (b == NULL)
        return NULL;
    b->size = room;
    b->bytes = calloc(1, 16);
    if (b->bytes == NULL) { free(b); return NULL; }
    return b;
}
void box_set(struct box *b, const void *item) { if (b->size <= 16) memcpy(b->bytes, item, b->size); }
int box_print(struct box *b, va_list arguments) { return (int)b->size; }
void box_free(struct box *b) { free(b->bytes); free(b); }
"""


def test_data_that_a_library_follows_are_not_understood(tmp_path: Path) -> None:
    """A function that reads through a `void *` was called wrong: the pointer was taken for one that is only stored.

    A parameter of type `va_list` was taken for an object, and the client did not compile.
    """
    verdicts = _verdicts(BOX, tmp_path)
    assert verdicts["box_set"].verdict is Verdict.UNKNOWN and verdicts["box_set"].reason.startswith("it follows")
    assert verdicts["box_print"].verdict is Verdict.UNKNOWN and "not understood" in verdicts["box_print"].reason
    assert verdicts["box_free"].verdict is Verdict.TRUE
