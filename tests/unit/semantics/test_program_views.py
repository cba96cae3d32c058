"""Promotion of constant addresses, liveness, offsets and cells."""

from __future__ import annotations

from pathlib import Path

from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Call, Skip
from kleene.passes.facts.liveness import defined_variables, live_before, redeclared_variables, used_variables
from kleene.passes.facts.memory import Memory

from .translated import HEADER, inlined, translator

PUSH = (
    "void push(struct node **l) { struct node *n = malloc(sizeof *n); n->next = *l; *l = n; }"
    "int main(void) { struct node *l = NULL; push(&l); push(&l); return 0; }"
)


def variable(cfa_variables: frozenset[Variable], name: str) -> Variable:
    return next(v for v in cfa_variables if v.name == name)


def test_a_parameter_that_is_always_one_address_is_replaced(tmp_path: Path) -> None:
    program, cfa = inlined(tmp_path, PUSH)
    memory = Memory(program, cfa)
    assert [v.name for v in memory.objects] == []
    assert "l" in [v.name for v in memory.pointers]


def test_an_address_that_changes_is_not_replaced(tmp_path: Path) -> None:
    program, cfa = inlined(tmp_path, "struct node *a, *b, **p = &a; if (__VERIFIER_nondet_int()) p = &b; *p = NULL;")
    assert {v.name for v in Memory(program, cfa).objects} == {"a", "b"}


def test_an_address_that_outlives_its_variable_is_not_replaced(tmp_path: Path) -> None:
    body = "int *p; { int x = 1; p = &x; } *p = 2;"
    program, cfa = inlined(tmp_path, body)
    assert {v.name for v in Memory(program, cfa).objects} == {"x"}


def test_liveness_ends_with_the_last_use_and_with_the_scope(tmp_path: Path) -> None:
    text = (
        "void f(struct node *p) { while (p) p = p->next; }"
        "int main(void) { struct node s; s.next = NULL; f(&s); exit(0); }"
    )
    _, cfa = inlined(tmp_path, text)
    found = frozenset(v for edge in cfa.edges for v in used_variables(edge.label))
    parameter = variable(found, "f$1.p")
    live = live_before(cfa, {parameter})
    ends = [e for e in cfa.edges if str(e.label).startswith("end")]
    assert all(parameter not in live[e.source] for e in ends)


def test_an_exit_does_not_keep_a_pointer_alive_before_it(tmp_path: Path) -> None:
    """A pointer that no path read was kept where an exit followed: k levels of calls had 3^k structures."""
    text = "struct node *p = NULL, *q = p; while (__VERIFIER_nondet_int()) { if (!q) abort(); q = q->next; }"
    _, cfa = inlined(tmp_path, text)
    p, q = (next(v for e in cfa.edges for v in defined_variables(e.label) if v.name == name) for name in "pq")
    before_exit = next(e.source for e in cfa.edges if str(e.label) == "abort()")
    choice = next(e.source for e in cfa.edges if e.target == before_exit)
    live, to_exits = live_before(cfa, {p, q}), live_before(cfa, {p, q}, to_exits=True)
    assert live[choice] == live[before_exit] == {q}
    assert to_exits[choice] == to_exits[before_exit] == {p, q}


def test_a_dead_end_beside_an_exit_keeps_no_pointer_alive(tmp_path: Path) -> None:
    """An exit with a way to nowhere beside it kept all pointers, as if runs went on there."""
    text = "struct node *p = NULL, *q = p; while (__VERIFIER_nondet_int()) { if (!q) abort(); q = q->next; }"
    _, cfa = inlined(tmp_path, text)
    p, q = (next(v for e in cfa.edges for v in defined_variables(e.label) if v.name == name) for name in "pq")
    end = next(e for e in cfa.edges if str(e.label) == "abort()")
    choice = next(e.source for e in cfa.edges if e.target == end.source)
    for target, live in (("nowhere", {q}), (cfa.entry, {p, q})):
        beside = Cfa(cfa.entry, (*cfa.edges, Edge(end.source, Skip(end.label.place), target)))
        assert live_before(beside, {p, q})[choice] == live


def test_the_functions_of_a_constant_table_are_its_targets(tmp_path: Path) -> None:
    """An element of a table had all functions whose address is taken as targets, by a difference of types."""
    text = (
        "static void a(void) { } static void b(void) { } static void c(void) { } static void (*other)(void) = c;"
        "static void (*const table[])(void) = { a, b };"
        "int main(void) { table[1](); table[__VERIFIER_nondet_int() & 1](); other(); return 0; }"
    )
    path = tmp_path / "program.c"
    path.write_text(HEADER + text)
    program = read_program([str(path)], ReadOptions())
    calls = [e.label for e in program.main.cfa.edges if isinstance(e.label, Call)]
    targets = [program.targets(call) for call in calls if not isinstance(call.function, str)]
    assert targets[:2] == [("b",), ("a", "b")] and set(targets[2]) == {"a", "b", "c"}


def test_a_variable_that_is_assigned_to_itself_is_used(tmp_path: Path) -> None:
    _, cfa = inlined(tmp_path, "struct node *p = NULL; p = p;")
    assert any(str(e.label) == "p = p" and used_variables(e.label) for e in cfa.edges)


def test_scopes_end_before_a_variable_is_declared_again(tmp_path: Path) -> None:
    body = "for (int i = 0; i < 3; i++) { struct node s; s.data = i; if (i == 1) continue; }"
    assert redeclared_variables(inlined(tmp_path, body)[1]) == frozenset()


def test_offsets_of_interior_pointers(tmp_path: Path) -> None:
    body = "struct node s; int *d = &s.data; struct node *p = (struct node *)((char *)d - 8); p->next = p;"
    program, cfa = inlined(tmp_path, body)
    memory = Memory(program, cfa)
    assert {v.name: memory.pointer_places[v] for v in memory.pointers} == {"d": {(16, 8)}, "p": {(16, 0)}}
    assert memory.cell_targets == {"next": {(16, 0)}}


def test_pointers_that_are_copied_with_a_record_keep_their_offsets(tmp_path: Path) -> None:
    header = HEADER + "struct pair { int *a; struct node *b; long c; };\n"
    body = "struct node n; struct pair x, y; x.a = &n.data; x.b = &n; y = x; struct pair *p = &x; p = &y;"
    program, cfa = inlined(tmp_path, body, header)
    memory = Memory(program, cfa)
    assert memory.cell_targets["a"] == {(16, 8)}
    assert memory.cell_targets["b"] == {(16, 0)}


def test_names_of_variables_and_cells_do_not_collide(tmp_path: Path) -> None:
    body = "struct node *next = NULL, *heap = NULL, *down = NULL, *sm = NULL; next = heap; down = sm; heap = down;"
    vocabulary = translator(tmp_path, body).translate().vocabulary
    names = [p.name for p in vocabulary]
    assert len(names) == len(set(names))
