"""Structures and a run report that the tests of the reports share."""

from __future__ import annotations

from kleene.diagnostics import Position
from kleene.logic.formula import Const
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.run.result import (
    Explanation,
    LocationReport,
    MessageReport,
    RunReport,
    Stage,
    Statistics,
)
from kleene.structures.structure import Structure, StructureBuilder

T, H, F = Kleene.TRUE, Kleene.UNKNOWN, Kleene.FALSE
ANY = Const(T)

VOCABULARY = Vocabulary().extend(
    [
        Predicate("x", 1, pointer=True, abstraction=True),
        Predicate("y", 1, pointer=True, abstraction=True),
        Predicate("n", 2),
        Predicate("b", 2),
        Predicate("r[n,x]", 1, definition=ANY, abstraction=True),
        Predicate("t[n]", 2, definition=ANY, properties=frozenset({"reflexive"})),
        Predicate("nn[x]", 0, definition=ANY),
        Predicate("nn[y]", 0, definition=ANY, shown=frozenset((T, H, F))),
        Predicate("between", 3),
    ]
)

Fact = tuple[str, tuple[int, ...], Kleene]


def build(size: int, facts: list[Fact], names: tuple[str, ...] | None = None) -> Structure:
    builder = StructureBuilder(VOCABULARY, size, names)
    for predicate, nodes, value in facts:
        builder.set(predicate, nodes, value)
    return builder.build()


def list_structure() -> Structure:
    """x -> u0 -> u1*, with reachability."""
    return build(
        2,
        [
            ("x", (0,), T),
            ("y", (1,), H),
            ("sm", (1,), H),
            ("n", (0, 1), H),
            ("n", (1, 1), H),
            ("r[n,x]", (0,), T),
            ("r[n,x]", (1,), H),
            ("t[n]", (0, 0), T),
            ("t[n]", (0, 1), H),
            ("t[n]", (1, 1), H),
            ("nn[x]", (), T),
        ],
    )


def ring_structure() -> Structure:
    """Two nodes joined both ways by n, one of them maybe active, and a ternary predicate."""
    return build(
        2,
        [
            ("x", (0,), T),
            ("n", (0, 1), T),
            ("n", (1, 0), T),
            ("b", (0, 1), T),
            ("ac", (1,), H),
            ("between", (0, 1, 1), H),
            ("nn[x]", (), T),
            ("nn[y]", (), H),
        ],
    )


def empty_structure() -> Structure:
    return build(0, [])


def run_report(*, program: str = "reverse.tvp", text: str = "x may be null") -> RunReport:
    a, b, c = list_structure(), ring_structure(), empty_structure()
    place = Position("reverse.tvp", 12, 3)
    messages = (MessageReport("L2", text, 2, True, (b,), "x = x->n", place),)
    stages = (Stage("focused", ((a, None), (b, "x(v) ==> 0 breached at u0"))), Stage("blurred", ((a, None),)))
    return RunReport(
        program=program,
        verdict="messages",
        reason=None,
        locations=(
            LocationReport("L1", (a, c)),
            LocationReport("L2", (b, a), messages),
            LocationReport("exit", ()),
        ),
        shown_locations=(),
        edges=(("L1", "y = NULL", "L2"), ("L2", "x = x->n", "L2"), ("L2", "x == NULL", "exit")),
        entry="L1",
        statistics=Statistics(4, 9, 2, 40, 12, 3, 2, 64 * 2**20),
        seconds={"load": 0.25, "analysis": 0.5, "focus": 0.125},
        warnings=("something is odd",),
        options={"join": "part"},
        explanations=(Explanation("L2", a, "L1", "y = NULL", stages),),
    )
