"""Whole programs: the rows of the paper's Table 1, the other examples, post-fixpoints, random programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fuzz_c.compare import judge
from tests.fuzz_c.generators.structures import program

from kleene.analysis.c.check import check
from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.options import check_options
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict
from kleene.domains.fesa.calls.calling import CallingFesaDomain
from kleene.domains.fesa.domain import StateStore
from kleene.domains.fesa.flags import NOT_NULL, Flag
from kleene.domains.fesa.heap import join_vectors
from kleene.engine.check import uncovered_by_calls, uncovered_elements
from kleene.engine.tabulate import Tabulated
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "c"
PAPER = ("three_elements", "sll", "dll", "summarise_tree", "access_tree", "free_tree")
OWN = (
    "sll/reverse",
    "sll/insert",
    "sll/delete",
    "sll/bubble_sort",
    "sll/merge",
    "sll/pointer_to_pointer",
    "dll/remove",
    "dll/free_backwards",
    "dll/reverse",
    "circular/josephus",
    "circular/ring",
    "circular/sentinel",
    "circular/sll_sentinel",
    "embedded/list_head",
    "language/function_pointer",
    "language/recursive_list",
    "nested/payload",
    "recursion/delete_all",
    "recursion/even_odd",
    "recursion/insert_sorted",
    "recursion/reverse",
    "trees/deutsch_schorr_waite",
    "trees/recursive",
    "trees/rotate",
)
ACCESS = {"null_dereference", "dangling_dereference", "uninitialized_pointer", "double_free", "invalid_free"}


def analysed(name: str, seconds: float = 60, **options: bool) -> FesaResult:
    program = read_program([str(EXAMPLES / f"{name}.c")])
    return analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=seconds, **options)


@pytest.mark.parametrize("name", [f"fesa/{row}" for row in PAPER] + list(OWN))
def test_no_warning_with_instrumentation(name: str) -> None:
    result = analysed(name)
    assert result.complete, result.reason
    assert result.alarms == []


@pytest.mark.parametrize("row", PAPER[:3])
def test_warnings_without_instrumentation(row: str) -> None:
    """Without counters nothing tells how many targets a pointer has (section 4.1)."""
    result = analysed(f"fesa/{row}", instrumentation=False)
    assert "null_dereference" in {a.kind for a in result.alarms}


def test_the_graph_has_its_one_true_error() -> None:
    result = analysed("fesa/free_graph")
    assert [(a.kind, a.place.line) for a in result.alarms] == [("dangling_dereference", 26)]


def test_the_reduction_is_needed_for_the_tree() -> None:
    """Without it, nodes stay that ask for an edge or a root that nothing provides (the end of section 5)."""
    assert analysed("fesa/free_tree", reduce=False).alarms
    assert analysed("fesa/free_tree").alarms == []


@pytest.mark.parametrize("name", ["fesa/sll", "fesa/dll", "fesa/free_tree", "sll/reverse", "circular/sentinel"])
def test_results_are_post_fixpoints(name: str) -> None:
    result = analysed(name)
    assert result.cfa and result.domain and result.initial and result.reached
    assert uncovered_elements(result.cfa, result.domain, [result.initial], result.reached) == []


def test_results_by_cases_are_post_fixpoints() -> None:
    """Merging needs to know whether there is a last cell yet: one state for each answer."""
    result = analysed("sll/merge")
    assert result.cfa and result.domain and result.initial and result.reached
    assert result.domain.options.by_cases
    assert uncovered_elements(result.cfa, result.domain, [result.initial], result.reached) == []
    store = max(result.reached.stores.values(), key=len)
    assert isinstance(store, StateStore) and len(store) > 2
    del store.states[next(iter(store.states))]
    assert uncovered_elements(result.cfa, result.domain, [result.initial], result.reached)


def test_cases_are_a_partition() -> None:
    """Together what was found, and each with its answers: nothing is lost between two cases."""
    result = analysed("sll/merge_sentinel")
    domain = result.domain
    assert domain and result.reached and result.cfa
    options = replace(domain.options, by_cases=True)
    memory = domain.transfer.memory
    by_cases = CallingFesaDomain(memory, result.cfa, domain.space, options, malloc_may_fail=True)
    assert len(by_cases.asked) > 2
    numbers = set()
    for store in result.reached.stores.values():
        for state in store.elements():
            parts = by_cases.cases([state.heap(by_cases.options)])
            numbers.add(len(parts))
            together = join_vectors([part.vectors for _, part in parts])
            assert together is not None and together.function == state.vectors.function
            for case, part in parts:
                vectors = part.vectors
                for node in by_cases.asked:
                    flag = vectors.flag(Flag(NOT_NULL, node))
                    assert vectors.restrict(~flag if node.name in case else flag).is_empty()
    assert max(numbers) > 3


@pytest.mark.parametrize("name", ["recursion/delete_all", "recursion/reverse", "recursion/even_odd", "trees/recursive"])
def test_results_with_recursion_are_post_fixpoints(name: str) -> None:
    result = analysed(name)
    assert result.complete and result.domain and result.initial and isinstance(result.reached, Tabulated)
    assert uncovered_by_calls(result.domain, [result.initial], result.reached) == []
    callee = next(a for a in result.reached.activations if a.name)
    del callee.stores[callee.procedure.exit]
    assert uncovered_by_calls(result.domain, [result.initial], result.reached)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sll/double_free", "double_free"),
        ("sll/fumble", "memory_leak"),
        ("sll/null_deref", "null_dereference"),
        ("sll/uninitialized", "uninitialized_pointer"),
        ("dll/remove_dangling", "dangling_dereference"),
        ("circular/sentinel_free", "invalid_free"),
        ("language/free_not_malloced", "invalid_free"),
        ("language/goto_cleanup_leak", "memory_leak"),
        ("language/stack_address", "dangling_dereference"),
        ("language/globals", "memory_cleanup"),
        ("nested/list_of_lists_leak", "memory_leak"),
        ("recursion/free_first", "dangling_dereference"),
        ("recursion/free_twice", "dangling_dereference"),
        ("recursion/result_lost", "memory_leak"),
        ("recursion/tree_leak", "memory_leak"),
    ],
)
def test_errors_are_found(name: str, kind: str) -> None:
    assert kind in {a.kind for a in analysed(name).alarms}


def test_check_with_the_domain() -> None:
    report = check([str(EXAMPLES / "sll/reverse.c")], check_options(domain="fesa"))
    assert set(report.properties.values()) == {Verdict.TRUE}
    assert report.proved_by["memsafety"] == "FESA"


def test_what_is_not_supported_is_unknown_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "arithmetic.c"
    path.write_text(
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n"
        "  char *p = malloc(8);\n  if (!p) return 0;\n  int n = 0;\n  while (__VERIFIER_nondet_int()) n++;\n"
        "  int a[n + 1];\n  a[0] = 0;\n  free(p);\n  return a[0];\n}\n"
    )
    report = check([str(path)], check_options(domain="fesa", timeout=3, properties=("memsafety",)))
    assert report.verdict is Verdict.UNKNOWN
    assert ":8:" in report.reason and "not supported" in report.reason
    alarms = report.shape.alarms if report.shape else []
    assert ("unsupported", 8) in {(alarm.kind, alarm.place.line) for alarm in alarms}


def test_a_small_limit_is_sound_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hardly any relations left the errors are still found, and nothing is proved that was not before."""
    from kleene.analysis.c import fesa as fesa_of_c

    options = fesa_of_c.Options
    monkeypatch.setattr(fesa_of_c, "Options", lambda **given: options(**given, limit=20))
    result = analysed("sll/double_free", seconds=8)
    assert any("relations were forgotten" in note for note in result.notes)
    assert "double_free" in {a.kind for a in result.alarms}
    result = analysed("sll/reverse", seconds=3)
    assert result.alarms or not result.complete


@pytest.mark.parametrize("seed", range(30, 42))
def test_exact_exploration_contradicts_no_proof(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(program(seed))
    assert judge(path, seed, seconds=3, domain="fesa").contradictions == []


def test_the_characters_of_a_literal_are_not_zero(tmp_path: Path) -> None:
    """They were taken for zero, as those of other globals, and the branch that loses the block for dead."""
    path = tmp_path / "literal.c"
    path.write_text(
        '#include <stdlib.h>\nint main(void) {\n  const char *text = "abc";\n  int *p = malloc(4);\n'
        "  if (text[0] == 'a') p = NULL;\n  free(p);\n  return 0;\n}\n"
    )
    result = analyse_fesa(Prepared(read_program([str(path)])), malloc_may_fail=False, seconds=10)
    assert ("memory_leak", 5) in {(a.kind, a.place.line) for a in result.alarms}


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("if (p) { struct node *r = f(p->next); return r; }\n  struct node *q = &s;\n  return q;", "q->next = NULL;"),
        (
            "struct node *q = &s;\n  if (p) { struct node *r = f(p->next); if (p->next) return r; }\n  return q;",
            "free(q);",
        ),
    ],
)
def test_locals_of_several_activations_end(tmp_path: Path, body: str, use: str) -> None:
    """Those that a deeper activation returned a pointer to shared a name: the state after the call was empty."""
    path = tmp_path / "activations.c"
    path.write_text(
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node { struct node *next; };\n"
        f"static struct node *f(struct node *p) {{\n  struct node s;\n  s.next = NULL;\n  {body}\n}}\n"
        "int main(void) {\n  struct node *l = NULL;\n  while (__VERIFIER_nondet_int()) {\n"
        "    struct node *n = malloc(sizeof *n);\n    n->next = l;\n    l = n;\n  }\n"
        f"  struct node *q = f(l);\n  {use}\n"
        "  while (l) { struct node *r = l->next; free(l); l = r; }\n  return 0;\n}\n"
    )
    result = analyse_fesa(Prepared(read_program([str(path)])), malloc_may_fail=False, seconds=20)
    assert {a.kind for a in result.alarms} & {"uninitialized_pointer", "dangling_dereference", "invalid_free"}
