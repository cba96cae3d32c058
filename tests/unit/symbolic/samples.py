"""The running example of YRS04, and small helpers."""

from __future__ import annotations

from pathlib import Path

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import parse_tvs, read_tvs
from kleene.symbolic import Theory
from kleene.tvp.program import Program, load_program, parse_formula

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "symbolic"
PRECONDITION = "E(v1, v2) (x(v1) & n(v1, v2) & y(v2))"


def program(name: str) -> Program:
    return load_program(EXAMPLES / f"{name}.tvp", include=[str(EXAMPLES)])


RUNNING = program("running")
THEORY = Theory(RUNNING.vocabulary, RUNNING.rules)
(INPUT,) = (s.structure for s in read_tvs(EXAMPLES / "running.tvs", RUNNING.vocabulary).structures)


def formula(text: str, of: Program = RUNNING) -> Formula:
    return parse_formula(text, of.vocabulary, sets=of.sets)


def structure(text: str, of: Program = RUNNING) -> Structure:
    (found,) = parse_tvs(text, of.vocabulary).structures
    return found.structure


def edges(s: Structure) -> tuple[int, bool, Kleene, Kleene]:
    """What tells the eight results apart: size, summary node, n(y, others), n(others, others)."""
    if s.size == 2:
        return 2, False, Kleene.FALSE, Kleene.FALSE
    return 3, s.is_summary(2), s.value("n", 1, 2), s.value("n", 2, 2)
