"""Focus on closures that a predicate stores: finite where focus on the edges is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from kleene.cli import run_main
from kleene.logic.kleene import Kleene
from kleene.logic.transform import canonical
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.focus_plan import with_closure_predicates
from kleene.tvp import parse_formula

PROGRAM = """
%p x(v) unique
%p y(v) unique
%p n(v1, v2) function
%i t(v1, v2) = n*(v1, v2) transitive reflexive
%%
%action a() { %f { FOCUS } { } }
%%
L0 a() L1
"""
INPUT = """
%n = {u0, u1}
%p = {
  sm = {u1:1/2}
  x = {u0}
  y = {u1:1/2}
  n = {u0->u1:1/2, u1->u1:1/2}
  t = {u0->u0, u1->u1:1/2, u0->u1:1/2}
}
"""


def outcome(folder: Path, focus: str, *arguments: str) -> tuple[int, object]:
    program, structures, result = folder / "p.tvp", folder / "p.tvs", folder / "p.json"
    program.write_text(PROGRAM.replace("FOCUS", focus), encoding="utf-8")
    structures.write_text(INPUT, encoding="utf-8")
    result.unlink(missing_ok=True)
    code = run_main(["run", str(program), str(structures), "--json", str(result), *arguments])
    return code, json.loads(result.read_text(encoding="utf-8"))["structures"] if result.exists() else None


@pytest.mark.parametrize("focus", ["x(v) & CLOSURE", "E(v, w) x(v) & CLOSURE & y(w)", "y(w) & !CLOSURE"])
def test_it_is_focus_on_the_predicate(capsys, tmp_path, focus):
    """The formula was replaced by the edges of the closure, and the run ended with an error."""
    by_closure = outcome(tmp_path, focus.replace("CLOSURE", "n*(v, w)"))
    assert by_closure[0] == 0
    assert "infinitely" not in capsys.readouterr().err
    assert by_closure == outcome(tmp_path, focus.replace("CLOSURE", "t(v, w)"))


def test_other_closures_and_tvla_s_focus_stay(capsys, tmp_path):
    assert outcome(tmp_path, "x(v) & n+(v, w)")[0] == 2
    assert outcome(tmp_path, "x(v) & n*(v, w)", "--order", "tvla")[0] == 2
    assert outcome(tmp_path, "n*(v, w)")[0] == 2  # two summary nodes


@pytest.mark.parametrize("path", ["x(v) & n+(v, w)", "E(v, w) x(v) & !n+(v, w) & y(w)"])
def test_a_path_of_one_step_or_more_from_a_pointer(capsys, tmp_path, path, monkeypatch):
    """It needed a predicate of its own; that of paths of any length is enough, with one that says who is on a cycle."""
    assert outcome(tmp_path, path)[0] == 2
    assert "infinitely" in capsys.readouterr().err
    monkeypatch.setattr(__name__ + ".PROGRAM", PROGRAM.replace("%%\n%action", "%i c(v) = n+(v, v)\n%%\n%action"))
    code, locations = outcome(tmp_path, path)
    assert code == 0
    assert locations


@pytest.mark.parametrize(
    "text,expected",
    [
        ("n*(v, w)", "t(v, w)"),
        ("A(u) (x(u) | !n*(w, u))", "A(u) (x(u) | !t(w, u))"),
        ("n+(v, w)", "n+(v, w)"),
        ("m*(v, w)", "m*(v, w)"),
        ("TC(v, w)(a, b) (n(a, b) & x(b))", "s(v, w)"),
        ("n*(v, v)", "t(v, v)"),
        ("m(v, w) & E(u) x(u) & n*(u, w)", "m(v, w) & r(w)"),
        ("E(u) x(u) & n*(w, u)", "E(u) x(u) & t(w, u)"),
        ("E(v) n+(v, v)", "c()"),
        ("E(v, w) z(v) & m(w, w) & n+(v, w)", "E(v, w) z(v) & m(w, w) & rz(w)"),
        ("z(v) & (m(v, w) | !n+(v, w))", "z(v) & (m(v, w) | !rz(w))"),
        ("z(v) & E(w) x(w) & n+(v, w)", "z(v) & E(w) x(w) & rz(w)"),
        ("z(v) | n+(v, w)", "z(v) | n+(v, w)"),
        ("!z(v) & n+(v, w)", "!z(v) & n+(v, w)"),
        ("z(w) & n+(v, w)", "z(w) & n+(v, w)"),
        ("x(v) & n+(v, w)", "x(v) & n+(v, w)"),
        ("z(v) & m+(v, w)", "z(v) & (mz(w) & !z(w) | z(w) & mc(w))"),
        ("E(v) z(v) & !m+(v, w)", "E(v) z(v) & !(mz(w) & !z(w) | z(w) & mc(w))"),
        ("z(v) & k+(v, w)", "z(v) & (kz(w) & !z(w))"),
        ("z(w) & m+(v, w)", "z(w) & (tz(v) & !z(v) | z(v) & mc(v))"),
        ("z(w) & k+(v, w)", "z(w) & k+(v, w)"),
        ("m+(v, w)", "m+(v, w)"),
    ],
)
def test_which_closures_a_predicate_stores(text, expected):
    vocabulary = _vocabulary()
    replaced = with_closure_predicates(parse_formula(text, vocabulary), vocabulary)
    assert canonical(replaced) is canonical(parse_formula(expected, vocabulary))


def _vocabulary() -> Vocabulary:
    unique = Predicate("z", 1, ("v",), frozenset(["unique"]))
    core = (Predicate("x", 1, ("v",)), unique, Predicate("n", 2, ("v", "w")), Predicate("m", 2, ("v", "w")))
    core += (Predicate("k", 2, ("v", "w"), frozenset(["acyclic"])),)
    definitions = {
        "t": (("p", "q"), "n*(p, q)"),
        "s": (("p", "q"), "TC(p, q)(c, d) (n(c, d) & x(d))"),
        "r": (("p",), "E(q) x(q) & n*(q, p)"),
        "c": ((), "E(p) n+(p, p)"),
        "rz": (("p",), "E(q) z(q) & n+(q, p)"),
        "rx": (("p",), "E(q) x(q) & n+(q, p)"),
        "mz": (("p",), "E(q) z(q) & m*(q, p)"),
        "mc": (("p",), "m+(p, p)"),
        "kz": (("p",), "E(q) z(q) & k*(q, p)"),
        "tz": (("p",), "E(q) z(q) & m*(p, q)"),
    }
    stored = [
        Predicate(name, len(args), args, definition=parse_formula(definition, Vocabulary(core)))
        for name, (args, definition) in definitions.items()
    ]
    return Vocabulary((*core, *stored))


@pytest.mark.parametrize("text", ["z(v) & m+(v, w)", "z(w) & m+(v, w)", "z(v) & !m+(v, w)", "z(v) & m*(v, w)"])
def test_the_stored_closure_is_the_same_on_all_small_stores(text):
    vocabulary = _vocabulary()
    asked = parse_formula(text, vocabulary)
    replaced = with_closure_predicates(asked, vocabulary)
    assert replaced is not asked
    compared = 0
    for size in (1, 2, 3):
        steps = list(product(range(size), repeat=2))
        for chosen in product((False, True), repeat=len(steps)) if size < 3 else _functions(size):
            for pointer in (None, *range(size)):
                store = _store(vocabulary, size, pointer, [s for s, there in zip(steps, chosen, strict=True) if there])
                for v, w in steps:
                    assert evaluate(store, asked, {"v": v, "w": w}) is evaluate(store, replaced, {"v": v, "w": w})
                    compared += 1
    assert compared > 1_000


def _functions(size: int) -> Iterator[tuple[bool, ...]]:
    """All partial functions, as tables of pairs."""
    for targets in product((None, *range(size)), repeat=size):
        yield tuple(targets[u] == w for u in range(size) for w in range(size))


def _store(vocabulary: Vocabulary, size: int, pointer: int | None, steps: list[tuple[int, int]]) -> Structure:
    """A store with all predicates that its definitions give it."""
    builder = StructureBuilder(vocabulary, size)
    for step in steps:
        builder.set("m", step, Kleene.TRUE)
    if pointer is not None:
        builder.set("z", (pointer,), Kleene.TRUE)
    core = builder.build()
    for p in vocabulary:
        if p.definition is not None:
            for nodes in product(range(size), repeat=p.arity):
                builder.set(p.name, nodes, evaluate(core, p.definition, dict(zip(p.args, nodes, strict=True))))
    return builder.build()
