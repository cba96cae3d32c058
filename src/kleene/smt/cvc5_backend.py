"""cvc5 with finite model finding: an independent second opinion (optional package `cvc5`).

Every query is a fresh solver that reads SMT-LIB text, so nothing is shared with the Z3 translation but the expansion.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

from kleene.diagnostics import UsageError
from kleene.logic.formula import Formula
from kleene.smt.child import compute_in_child
from kleene.smt.expand import Expansion, presence
from kleene.smt.finite_model import FiniteModel
from kleene.smt.prover import Allowance, Proof
from kleene.smt.smtlib import declarations, sort_name, symbol, term

STEPS_PER_MILLISECOND = 400
"""cvc5's resource units, about a millisecond's worth of CPU time where it was measured: answers can be repeated."""


def load_cvc5() -> Any:
    try:
        import cvc5
    except ImportError:
        raise UsageError("the back end 'cvc5' needs cvc5: install it with 'pip install cvc5'") from None
    return cvc5


class Cvc5Prover:
    """Expanded formulas, kept as text until they are checked."""

    name = "cvc5"

    def __init__(self, expansion: Expansion) -> None:
        self.cvc5 = load_cvc5()
        self.expansion = expansion

    def check(self, assertions: Sequence[Formula], assumptions: Sequence[Formula], allowance: Allowance) -> Proof:
        ask = partial(self._check, assertions, assumptions, allowance)
        if not allowance.strict:
            return ask()
        return compute_in_child(ask, allowance.clock / 1000) or Proof("unknown", reason="cvc5: time limit")

    def _check(self, assertions: Sequence[Formula], assumptions: Sequence[Formula], allowance: Allowance) -> Proof:
        terms = self.cvc5.TermManager()
        solver = self.cvc5.Solver(terms)
        for option, value in (
            ("finite-model-find", "true"),
            ("produce-models", "true"),
            ("produce-unsat-assumptions", "true"),
            ("rlimit-per", str(max(1, allowance.milliseconds) * STEPS_PER_MILLISECOND)),
            ("tlimit-per", str(max(1, allowance.clock))),
        ):
            solver.setOption(option, value)
        symbols = self._read(solver, assertions, assumptions)
        named = {str(t).strip("|"): t for t in symbols.getDeclaredTerms()}
        switches = [named[_switch(i)] for i in range(len(assumptions))]
        result = solver.checkSatAssuming(*switches) if switches else solver.checkSat()
        if result.isUnsat():
            used = set(map(str, solver.getUnsatAssumptions())) if switches else set()
            return Proof("unsat", core=frozenset(i for i, s in enumerate(switches) if str(s) in used))
        if not result.isSat():
            return Proof("unknown", reason=f"cvc5: {_reason(result)}")
        return Proof("sat", model=_Reader(self, terms, solver, symbols).model())

    def _read(self, solver: Any, assertions: Sequence[Formula], assumptions: Sequence[Formula]) -> Any:
        """Parse the query; the symbol manager knows the declared symbols afterwards."""
        used = [*assertions, *assumptions]
        lines = ["(set-logic UF)", *declarations(used, len(self.expansion.universe.cells))]
        lines += [f"(assert {term(f)})" for f in assertions]
        lines += [f"(declare-const {symbol(_switch(i))} Bool)" for i in range(len(assumptions))]
        lines += [f"(assert (=> {symbol(_switch(i))} {term(f)}))" for i, f in enumerate(assumptions)]
        parser = self.cvc5.InputParser(solver)
        parser.setStringInput(self.cvc5.InputLanguage.SMT_LIB_2_6, "\n".join(lines), "query")
        symbols = parser.getSymbolManager()
        while True:
            command = parser.nextCommand()
            if command.isNull():
                return symbols
            command.invoke(solver, symbols)


def _reason(result: Any) -> str:
    text = str(result.getUnknownExplanation()).rpartition(".")[2]
    return {"RESOURCEOUT": "resource limit", "TIMEOUT": "time limit"}.get(text, text.lower())


def _switch(number: int) -> str:
    return f"assumption {number}"


class _Reader:
    """Reads a finite model."""

    def __init__(self, prover: Cvc5Prover, terms: Any, solver: Any, symbols: Any) -> None:
        self.universe = prover.expansion.universe
        self.expansion = prover.expansion
        self.kind = prover.cvc5.Kind.APPLY_UF
        self.terms, self.solver = terms, solver
        self.sorts = {str(s): s for s in symbols.getDeclaredSorts()}
        self.symbols = {str(t).strip("|"): t for t in symbols.getDeclaredTerms()}

    def model(self) -> FiniteModel:
        cells: list[int] = []
        elements: list[list[Any]] = []
        first: list[int] = []
        for number, cell in enumerate(self.universe.cells):
            flag = self.symbols.get(symbol(presence(number).predicate).strip("|"))
            absent = cell.optional and (flag is None or not self._true(flag))
            members = [] if absent else self._elements(number)
            if cell.single:
                members = members[:1] if f"!{number}" not in self.symbols else [self.symbols[f"!{number}"]]
            first.append(len(cells))
            cells += [number] * len(members)
            elements.append(members)
        relations: dict[str, set[tuple[int, ...]]] = {}
        for name, (base, sorts) in self.expansion.symbols.items():
            predicate = self.symbols.get(symbol(name).strip("|"))
            if predicate is None:
                continue
            for chosen in itertools.product(*(range(len(elements[s])) for s in sorts)):
                arguments = [elements[s][i] for s, i in zip(sorts, chosen, strict=True)]
                applied = self.terms.mkTerm(self.kind, predicate, *arguments) if arguments else predicate
                if self._true(applied):
                    places = tuple(first[s] + i for s, i in zip(sorts, chosen, strict=True))
                    relations.setdefault(base, set()).add(places)
        return FiniteModel(self.universe, tuple(cells), {s: frozenset(t) for s, t in relations.items()})

    def _elements(self, cell: int) -> list[Any]:
        return list(self.solver.getModelDomainElements(self.sorts[sort_name(cell)]))

    def _true(self, applied: Any) -> bool:
        return str(self.solver.getValue(applied)) == "true"
