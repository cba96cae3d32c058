"""Pictures of heaps, readable traces and shapes in words, on programs small enough to know the answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli_samples import Kleene

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.shape.run import check_again
from kleene.analysis.c.source_names import source_names
from kleene.c.reader import read_program
from kleene.diagnostics import InternalCheckError
from kleene.domains.explicit.explore import Confirmed
from kleene.engine.tabulate import Tabulated
from kleene.passes.preparation import Prepared
from kleene.report.check.shape_words import for_drawing, invariants_of
from kleene.report.check.trace import lines_of
from kleene.report.drawing.film import Film
from kleene.report.drawing.heap_boxes import has_lost_block
from kleene.report.drawing.heap_picture import heap_dot
from kleene.report.drawing.svg import svg_of_dot
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult

HEAD = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n"
NODE = HEAD + "struct node { struct node *next; int value; };\n"


def checked(folder: Path, text: str, **options: object) -> CheckReport:
    file = folder / "program.c"
    file.write_text(text)
    return check([str(file)], check_options(**options))  # type: ignore[arg-type]


def texts(report: CheckReport) -> list[str]:
    return [line.text for line in lines_of(report.traces[0])]


def words(report: CheckReport) -> list[list[str]]:
    names = source_names(report.prepared)
    return [invariant.words for invariant in invariants_of(report.shape, names)]


def test_a_trace_has_no_temporaries(tmp_path: Path) -> None:
    report = checked(
        tmp_path,
        HEAD + "static int twice(int x) { return x + x; }\nint main(void) {\n    int *p = 0;\n"
        "    if (twice(__VERIFIER_nondet_int()) == 6) return *p;\n    return 0;\n}\n",
    )
    shown = texts(report)
    assert not any("$" in text or "declare" in text for text in shown)
    assert "[twice(__VERIFIER_nondet_int()) == 6]" in shown
    assert [line.depth for line in lines_of(report.traces[0])][-2:] == [1, 1]


def test_a_trace_ends_where_a_block_is_lost(tmp_path: Path) -> None:
    report = checked(
        tmp_path, HEAD + "int main(void) {\n    int *p = malloc(4);\n    p = 0;\n    int x = 1;\n    return x;\n}\n"
    )
    assert texts(report)[-1] == "p = NULL"
    trace = report.traces[0].trace
    last = lines_of(report.traces[0])[-1].last
    assert has_lost_block(trace.heap(last + 1), trace.program)
    assert not has_lost_block(trace.heap(last), trace.program)


def test_a_failing_malloc_is_noted(tmp_path: Path) -> None:
    report = checked(tmp_path, HEAD + "int main(void) {\n    int *p = malloc(4);\n    *p = 1;\n    free(p);\n}\n")
    notes = [line.note for line in lines_of(report.traces[0])]
    assert "it fails: NULL" in notes


@pytest.fixture
def freed_block(tmp_path: Path) -> Confirmed:
    report = checked(
        tmp_path,
        NODE + "int main(void) {\n    struct node *a = malloc(sizeof *a), *b;\n    if (!a) return 0;\n"
        "    a->next = 0;\n    a->value = 7;\n    b = a;\n    free(a);\n    return b->value;\n}\n",
    )
    return report.traces[0]


def test_pictures_show_types_members_and_freed_blocks(freed_block: Confirmed) -> None:
    trace = freed_block.trace
    dots = [heap_dot(trace.heap(line.last + 1), trace.program) for line in lines_of(freed_block)]
    assert "1: struct node, line 5" in dots[-1]
    assert "<I>freed</I>" in dots[-1]
    before = next(dot for dot in dots if "value: 7" in dot)
    assert "next: NULL" in before
    assert "freed" not in before
    assert all(svg_of_dot(dot).startswith("<svg") for dot in dots)


def test_a_film_has_one_place_for_a_block_and_marks_changes(freed_block: Confirmed) -> None:
    film = Film(freed_block.trace.program)
    lines = lines_of(freed_block)
    numbers = [film.add(freed_block.trace.heap(line.last + 1)) for line in lines]
    document = film.document()
    assert numbers == sorted(numbers) and len(document["frames"]) == numbers[-1] + 1
    assert len(document["boxes"]) == 1, "one block, one place in all frames"
    frames = {line.text: document["frames"][n] for line, n in zip(lines, numbers, strict=True)}
    (block,) = frames["a->value = 7"]["boxes"]
    assert block[1:] == ["block", "1: struct node, line 5", "", ["next: NULL", "value: 7"], 1]
    assert [tag[1:] for tag in frames["b = a"]["tags"]] == [["a", 0, 0], ["b", 0, 1]]
    assert frames["b = a"]["boxes"][0][-1] == 0, "the assignment changes no block"
    assert frames["free(a)"]["boxes"][0][1] == "freed"
    assert all(bad for _, _, bad, _ in frames["free(a)"]["tags"])


def test_pictures_of_structs_on_the_stack_and_inner_pointers(tmp_path: Path) -> None:
    report = checked(
        tmp_path,
        HEAD + "struct pair { int a; int b; };\nint main(void) {\n    struct pair x = {1, 2};\n    int *p = &x.b;\n"
        "    free(p);\n    return *p;\n}\n",
    )
    trace = report.traces[0].trace
    dot = heap_dot(trace.heap(lines_of(report.traces[0])[-1].last), trace.program)
    assert "a: 1" in dot and "b: 2" in dot
    assert "→ .b" in dot


LIST = """\
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh) break;
        fresh->next = list;
        list = fresh;
    }
    struct node *p = list;
    while (p && p->value != 3) p = p->next;
    while (list) { struct node *gone = list; list = list->next; free(gone); }
    return 0;
}
"""


def test_words_about_a_list(tmp_path: Path) -> None:
    report = checked(tmp_path, NODE + LIST)
    build, walk, free, end = words(report)
    assert build == ["list: NULL", "list: acyclic list of 1 node", "list: acyclic list of 2 or more nodes"]
    assert end == ["no block on the heap"]
    assert free == build  # the variable p is dead here, and nothing is said about it
    assert "list: acyclic list of 2 or more nodes; p: the same node as list" in walk
    assert any("p: in the list of list, 1 node from there on" in text for text in walk)
    assert "list: NULL; p: NULL" in walk


def test_shared_predicates_get_the_name_of_the_variable_that_lives(tmp_path: Path) -> None:
    report = checked(tmp_path, NODE + LIST)
    names = source_names(report.prepared)
    assert any("p" in found.values() for found in names.values())
    for invariant in invariants_of(report.shape, names):
        drawn = for_drawing(invariant.structures[-1], invariant.names)
        assert {p.name for p in drawn.vocabulary if p.arity == 2} >= {"next"}


def test_words_about_back_pointers(tmp_path: Path) -> None:
    text = NODE.replace("int value;", "struct node *prev;") + LIST.replace("p->value != 3", "__VERIFIER_nondet_int()")
    text = text.replace("list = fresh;", "fresh->prev = 0; if (list) list->prev = fresh; list = fresh;")
    build = words(checked(tmp_path, text))[0]
    assert "list: acyclic list of 2 or more nodes, prev leads back" in build


def test_no_words_without_a_shape_analysis(tmp_path: Path) -> None:
    report = checked(tmp_path, "int main(void) { return 0; }\n")
    assert report.shape is None or not invariants_of(report.shape)


def test_shapes_of_both_domains_are_in_the_json(kleene: Kleene, tmp_path: Path) -> None:
    path = tmp_path / "list.c"
    path.write_text(NODE + LIST)
    for domain in ("all", "fesa"):
        done = kleene("check", str(path), "--domain", domain, "--invariants", "--json", "-")
        places = [(i["where"], i["function"]) for i in json.loads(done.out)["invariants"]]
        assert places.count(("loop", "main")) == 3, domain


def test_shapes_are_checked_again_and_a_missing_one_is_noticed(kleene: Kleene, tmp_path: Path) -> None:
    path = tmp_path / "list.c"
    path.write_text(NODE + LIST)
    assert "checked again: no step of the program leads out" in kleene("check", str(path), "--invariants").out
    shape = checked(tmp_path, NODE + LIST).shape
    assert isinstance(shape, ShapeResult) and check_again(shape)
    assert shape.reached is not None and shape.translation is not None
    head = next(iter(shape.translation.cfa.loop_heads))
    store = shape.reached.stores[head]
    kept = store.elements()[1:]
    store.clear()
    store.add(kept)
    with pytest.raises(InternalCheckError):
        check_again(shape)


RECURSIVE = """
static void destroy(struct node *l) { if (l) { struct node *n = l->next; free(l); destroy(n); n = NULL; } }
static int length(struct node *l) { return l ? 1 + length(l->next) : 0; }
int main(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    if (!n) break;
    n->next = l; l = n;
  }
  if (length(l) < 0) l = l->next;
  destroy(l);
  return 0;
}
"""


def test_what_recursive_functions_do_is_checked_again(kleene: Kleene, tmp_path: Path) -> None:
    """Nothing was said about them: a summary that did not cover its calls would not have been noticed."""
    path = tmp_path / "recursive.c"
    path.write_text(NODE + RECURSIVE)
    assert "checked again: no step of the program leads out" in kleene("check", str(path), "--invariants").out
    shape = checked(tmp_path, NODE + RECURSIVE).shape
    assert isinstance(shape, ShapeResult) and isinstance(shape.reached, Tabulated) and check_again(shape)
    ends = [a.stores[a.procedure.exit] for a in shape.reached.activations if a.procedure.exit in a.stores]
    assert ends
    kept = ends[0].elements()[1:]
    ends[0].clear()
    ends[0].add(kept)
    with pytest.raises(InternalCheckError):
        check_again(shape)


def test_an_alarm_that_was_not_raised_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "leak.c"
    path.write_text(NODE + LIST.replace("free(", "(void)("))
    shape = analyse(Prepared(read_program([str(path)])), malloc_may_fail=False, seconds=30)
    assert shape.alarms and check_again(shape)
    with pytest.raises(InternalCheckError, match="an alarm was not raised"):
        check_again(replace(shape, alarms=[]))
