"""Interpolants checked by another solver: cvc5 reads the steps and the sequence as SMT-LIB text."""

from __future__ import annotations

from typing import Any

import cvc5
import z3

from kleene.domains.explicit.machine import Machine
from kleene.paths import Interpolants, PathFormula
from kleene.paths.interpolation.relation import Relation
from kleene.paths.interpolation.steps import relation_of


def unsatisfiable(formulas: list[Any]) -> bool | None:
    """What cvc5 says; None if it gives up."""
    solver = z3.Solver()
    solver.add(*formulas)
    terms = cvc5.TermManager()
    other = cvc5.Solver(terms)
    other.setOption("tlimit-per", "5000")
    other.setLogic("ALL")
    parser = cvc5.InputParser(other)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, solver.sexpr(), "query")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(other, symbols)
    result = other.checkSat()
    return True if result.isUnsat() else False if result.isSat() else None


def inductive(formula: PathFormula, found: Interpolants) -> list[str]:
    """What is wrong with a sequence, by the relation of the case it belongs to."""
    leaves = [*(case for case, _ in formula.dead), *formula.cases]
    machine = Machine(formula.program, malloc_may_fail=formula.malloc_may_fail)
    if len(leaves) != 1:
        return []
    relation = relation_of(formula, machine, leaves[0])
    return sequence_problems(relation, found)


def sequence_problems(relation: Relation, found: Interpolants) -> list[str]:
    conjuncts = [*relation.initial(), *relation.conjuncts]
    problems = []
    formulas = found.formulas
    if not z3.is_true(formulas[0]) or not z3.is_false(formulas[-1]):
        problems.append("the sequence does not go from true to false")
    for step in range(len(relation.snapshots) - 1):
        before = _versioned(relation, step, formulas[step])
        after = _versioned(relation, step + 1, formulas[step + 1])
        if z3.is_true(after) or (before.eq(after) and not z3.is_false(after)):
            continue
        taken = [c.formula for c in conjuncts if c.step == step]
        if unsatisfiable([before, z3.Not(after), *taken]) is False:
            problems.append(f"not inductive at step {step}: {before} -> {after}")
    return problems


def _versioned(relation: Relation, cut: int, formula: Any) -> Any:
    pairs = [(relation.vocabulary.plain(key), version) for key, version in relation.snapshots[cut].items()]
    return z3.substitute(formula, *pairs) if pairs else formula
