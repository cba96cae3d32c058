"""Vocabularies, rules and legal stores that hypothesis chooses: pointers, marks, fields, and definitions."""

from __future__ import annotations

from itertools import permutations, product

from hypothesis import assume
from hypothesis import strategies as st
from tests.oracle.concrete import is_valid, with_definitions
from tests.oracle.generate import Setting, _p, _vaguer, formulas
from tests.oracle.naive import NaiveStructure, blur, empty

from kleene.logic.formula import (
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    Not,
    Or,
    reflexive_closure,
    transitive_closure,
)
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Rule

FIELDS = (
    ("function",),
    ("function",),
    ("function", "acyclic"),
    ("function", "acyclic"),
    ("function", "invfunction"),
    ("invfunction",),
    ("invfunction", "acyclic"),
    ("acyclic",),
    (),
    ("symmetric", "antireflexive"),
    ("transitive", "antireflexive"),
    ("reflexive", "transitive", "antisymmetric"),
)
PLAIN_FIELDS = tuple(f for f in FIELDS if "function" in f or "invfunction" in f)


def step(field: str, a: str, b: str) -> Formula:
    return Atom(field, (a, b))


def _definitions(pointers: list[str], marks: list[str], fields: list[str]) -> list[Predicate]:
    """What shape analyses define: sharing, reachability, cycles, order, inverses, flags."""
    found = []
    for n in fields:
        two = And(step(n, "a", "v"), And(step(n, "b", "v"), Not(Equal("a", "b"))))
        found += [
            _p(f"is_{n}", "v", "abs", definition=Exists("a", Exists("b", two))),
            _p(f"c_{n}", "v", "abs", definition=transitive_closure(n, "v", "v")),
            _p(f"t_{n}", "v1 v2", definition=reflexive_closure(n, "v1", "v2")),
            _p(f"last_{n}", "v", "abs", definition=Not(Exists("a", step(n, "v", "a")))),
            _p(f"empty_{n}", "", definition=Forall("a", Forall("b", Not(step(n, "a", "b"))))),
        ]
        for x in pointers:
            reached = Exists("w", And(Atom(x, ("w",)), reflexive_closure(n, "w", "v")))
            found.append(_p(f"r_{n}_{x}", "v", "abs", definition=reached))
        for m in marks:
            after = Forall("w", Or(Not(step(n, "v", "w")), Atom(m, ("w",))))
            found.append(_p(f"ahead_{n}_{m}", "v", "abs", definition=after))
            found.append(_p(f"some_{m}_{n}", "v", definition=Exists("w", And(step(n, "v", "w"), Atom(m, ("w",))))))
    for n, m in permutations(fields, 2):
        back = Forall("w", Or(Not(step(n, "v", "w")), step(m, "w", "v")))
        found.append(_p(f"back_{n}_{m}", "v", "abs", definition=back))
        either = Or(step(n, "v1", "v2"), step(m, "v1", "v2"))
        found.append(_p(f"down_{n}_{m}", "v1 v2", definition=either))
        path = Closure("w", "v", "a", "b", Or(step(n, "a", "b"), step(m, "a", "b")))
        for x in pointers:
            found.append(
                _p(
                    f"rt_{n}_{m}_{x}",
                    "v",
                    "abs",
                    definition=Exists("w", And(Atom(x, ("w",)), Or(Equal("w", "v"), path))),
                )
            )
    found += [_p(f"nn_{x}", "", "abs", definition=Exists("v", Atom(x, ("v",)))) for x in pointers]
    found += [_p(f"all_{m}", "", definition=Forall("v", Atom(m, ("v",)))) for m in marks]
    return found


def _rules(pointers: list[str], marks: list[str], fields: list[str]) -> list[Rule]:
    found = []
    for m in marks:
        for n in fields:
            found.append(Rule(And(Atom(m, ("v",)), step(n, "v", "w")), Not(Atom(m, ("w",)))))
            found.append(Rule(And(Atom(m, ("v",)), step(n, "v", "w")), Atom(m, ("w",))))
        found += [Rule(Atom(x, ("v",)), Atom(m, ("v",))) for x in pointers]
    for n, m in permutations(fields, 2):
        found.append(Rule(And(step(n, "v", "w"), step(m, "v", "w")), Equal("v", "w")))
        found.append(Rule(step(n, "v", "w"), step(m, "w", "v")))
    for x, y in permutations(pointers, 2):
        found.append(Rule(And(Atom(x, ("v",)), Atom(y, ("w",))), Not(Equal("v", "w"))))
    return found


@st.composite
def chosen_settings(draw: st.DrawFn, most_fields: int = 2) -> Setting:
    """One to three unary core predicates, one or two fields, perhaps a flag; up to three definitions and a rule."""
    pointers = [("x", "y", "z")[i] for i in range(draw(st.integers(0, 2)))]
    marks = [("p", "q")[i] for i in range(draw(st.integers(0 if pointers else 1, 2 if len(pointers) < 2 else 1)))]
    fields = ["n", "m"][: draw(st.sampled_from([1, 1, 1, most_fields]))]
    core = [_p(x, "v", "unique", "abs") for x in pointers]
    core += [_p(m, "v", *draw(st.sampled_from([("abs",), ("abs",), ()]))) for m in marks]
    core += [_p(n, "v1 v2", *draw(st.sampled_from(FIELDS if len(fields) == 1 else PLAIN_FIELDS))) for n in fields]
    if draw(st.integers(0, 3)) == 0:
        core.append(_p("b", ""))
    candidates = _definitions(pointers, marks, fields)
    defined = draw(st.lists(st.sampled_from(candidates), max_size=3, unique_by=lambda p: p.name))
    if draw(st.integers(0, 4)) == 0:
        meaning = draw(formulas(Vocabulary().extend(core), ("v",), depth=2, rank=1, unknown=False))
        defined.append(_p("d", "v", *draw(st.sampled_from([("abs",), ()])), definition=meaning))
    rules = _rules(pointers, marks, fields)
    chosen = draw(st.lists(st.sampled_from(rules), max_size=1)) if rules and draw(st.booleans()) else []
    return Setting("CHOSEN", Vocabulary().extend([*core, *defined]), tuple(chosen), bound=5)


@st.composite
def stores(draw: st.DrawFn, setting: Setting, most: int = 5) -> NaiveStructure:
    """A legal concrete structure; relations are drawn so that most properties hold, and then checked."""
    size = draw(st.integers(1, most))
    s = empty(setting.vocabulary, size)
    for p in setting.vocabulary.declared:
        if p.definition is not None:
            continue
        if p.arity == 2:
            for a, b in _edges(draw, p, size):
                s.set(p.name, (a, b), 1.0)
        elif p.has("unique"):
            place = draw(st.integers(0, size))
            if place < size:
                s.set(p.name, (place,), 1.0)
        else:
            for nodes in product(range(size), repeat=p.arity):
                if draw(st.booleans()):
                    s.set(p.name, nodes, 1.0)
    s = with_definitions(s)
    assume(is_valid(s, setting.rules))
    return s


def _edges(draw: st.DrawFn, p: Predicate, size: int) -> list[tuple[int, int]]:
    if p.has("function") or p.has("invfunction"):
        targets = [draw(st.integers(a + 1 if p.has("acyclic") else 0, size)) for a in range(size)]
        edges = [(a, b) for a, b in enumerate(targets) if b < size]
        if p.has("invfunction") and p.has("function"):
            edges = list({b: (a, b) for a, b in edges}.values())
        return edges if p.has("function") else [(b, a) for a, b in edges]
    pairs = [(a, b) for a, b in product(range(size), repeat=2) if a < b]
    edges = [pair for pair in pairs if draw(st.integers(0, 2)) == 0]
    if p.has("symmetric"):
        edges += [(b, a) for a, b in edges]
    if p.has("reflexive"):
        edges += [(a, a) for a in range(size)]
    return edges


@st.composite
def inputs(draw: st.DrawFn, setting: Setting, most: int = 5) -> NaiveStructure:
    """The canonical abstraction of a legal store, perhaps with more values unknown."""
    s = blur(draw(stores(setting, most)))
    return draw(_vaguer(s, maybe_active=True)) if draw(st.integers(0, 3)) == 0 else s


@st.composite
def questions(draw: st.DrawFn, setting: Setting) -> Formula:
    """A closed formula: conditions as programs and contracts have them, or any formula."""
    if draw(st.booleans()):
        return draw(formulas(setting.vocabulary, (), depth=3, rank=2, unknown=False))
    parts = [draw(_condition(setting)) for _ in range(draw(st.integers(1, 2)))]
    return parts[0] if len(parts) == 1 else draw(st.sampled_from([And, Or, Iff]))(*parts)


@st.composite
def _condition(draw: st.DrawFn, setting: Setting) -> Formula:
    unary = [p.name for p in setting.vocabulary.declared if p.arity == 1]
    fields = [p.name for p in setting.vocabulary.declared if p.arity == 2]
    p, q = draw(st.sampled_from(unary)), draw(st.sampled_from(unary))
    n = draw(st.sampled_from(fields))
    here, there = Atom(p, ("v",)), Atom(q, ("w",))
    path = reflexive_closure(n, "v", "w")
    f: Formula = draw(
        st.sampled_from(
            [
                Exists("v", here),
                Forall("v", here),
                Exists("v", Exists("w", And(here, And(step(n, "v", "w"), there)))),
                Exists("v", Exists("w", And(here, And(path, there)))),
                Forall("v", Forall("w", Or(Not(And(here, step(n, "v", "w"))), there))),
                Forall("v", Or(Not(here), Exists("w", And(step(n, "v", "w"), there)))),
                Forall("v", Or(Not(here), Exists("w", And(path, there)))),
                Exists("v", And(here, Atom(q, ("v",)))),
                Exists("v", And(here, transitive_closure(n, "v", "v"))),
                Exists("v", And(here, Not(Exists("w", step(n, "v", "w"))))),
                Forall("v", Forall("w", Or(Equal("v", "w"), Not(And(here, there))))),
                Forall("v", Iff(here, Atom(q, ("v",)))),
            ]
        )
    )
    return Not(f) if draw(st.booleans()) else f
