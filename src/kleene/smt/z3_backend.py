"""Z3, in process (`SimpleSolver`, which is faster on many small queries; docs/concepts/symbolic.md, "Solvers").

Terms are kept, solvers are not: on the dozen queries of one list example, fresh solvers were clearly faster than one
that had seen the queries before.

Constants of single cells, quantifiers over one sort for each cell. Models are read as universes with relations.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from kleene.diagnostics import UsageError
from kleene.logic.formula import And, Atom, Const, Equal, Exists, Forall, Formula, Iff, Not, Or
from kleene.logic.kleene import Kleene
from kleene.logic.transform import postorder
from kleene.smt.expand import Expansion, presence, sort_of
from kleene.smt.finite_model import FiniteModel
from kleene.smt.prover import Allowance, Proof

STEPS_PER_MILLISECOND = 3000
"""Z3's resource steps, about a millisecond's worth where it was measured. They stand for time: the answer is then the
same in every run. With Z3's own timeout, 2 of 7 runs of the oracle tests crashed inside a check (5.4.0); with steps
none has so far. That the timer thread is to blame is a guess."""

_SETTINGS: tuple[dict[str, object], ...] = (
    {"smt.pull_nested_quantifiers": True, "smt.mbqi.max_cexs": 5},
    {},
)
"""Tried one after the other. Chosen among five pairs on five cases of benchmarks/symbolic.py: those are tuned for."""


def load_z3() -> Any:
    try:
        import z3
    except ImportError:
        raise UsageError("the back end 'z3' needs z3-solver: install it with 'pip install z3-solver'") from None
    return z3


class Z3Prover:
    """Expanded formulas in one Z3 solver of its own context, so that nothing is shared with other users of Z3."""

    name = "z3"

    def __init__(self, expansion: Expansion) -> None:
        self.z3 = load_z3()
        self.expansion = expansion
        self.context = self.z3.Context()
        self._sorts: dict[int, Any] = {}
        self._terms: dict[Formula, Any] = {}
        self._predicates: dict[str, Any] = {}
        self._variables: dict[str, Any] = {}

    def check(self, assertions: Sequence[Formula], assumptions: Sequence[Formula], allowance: Allowance) -> Proof:
        switches = [self.z3.Bool(f"assume:{i}", self.context) for i in range(len(assumptions))]
        implied = [self.z3.Implies(s, self.term(f)) for s, f in zip(switches, assumptions, strict=True)]
        terms = [*(self.term(f) for f in assertions), *implied]
        proof = Proof("unknown")
        steps, clock = (max(1, part // len(_SETTINGS)) for part in (allowance.milliseconds, allowance.clock))
        for attempt, settings in enumerate(_SETTINGS, 1):
            solver = self.z3.SimpleSolver(ctx=self.context)
            solver.set("rlimit", steps * STEPS_PER_MILLISECOND)
            for name, value in settings.items():
                solver.set(name, value)
            solver.add(terms)
            with self._guard(clock / 1000) as interrupted:
                try:
                    proof = self._attempt(solver, switches, attempt)
                except self.z3.Z3Exception:  # interrupted while it was not checking: a model was read
                    if not interrupted.is_set():
                        raise
                    proof = Proof("unknown", calls=attempt)
            if interrupted.is_set() and proof.verdict == "unknown":
                proof = replace(proof, reason="z3: time limit")
            if proof.verdict != "unknown":
                break
        return proof

    @contextmanager
    def _guard(self, seconds: float) -> Iterator[threading.Event]:
        """Interrupt a longer query, and set the event; the timer's thread ends before this returns."""
        interrupted = threading.Event()

        def interrupt() -> None:
            interrupted.set()
            self.context.interrupt()

        timer = threading.Timer(seconds, interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield interrupted
        finally:
            timer.cancel()
            timer.join()

    def _attempt(self, solver: Any, switches: list[Any], attempt: int) -> Proof:
        result = solver.check(*switches)
        if result == self.z3.unsat:
            numbers = {switch.get_id(): i for i, switch in enumerate(switches)}
            core = frozenset(numbers[x.get_id()] for x in solver.unsat_core() if x.get_id() in numbers)
            return Proof("unsat", core=core, calls=attempt)
        if result == self.z3.unknown:
            reason = solver.reason_unknown()
            text = "z3: resource limit" if reason == "canceled" else f"z3: {reason}"
            return Proof("unknown", reason=text, calls=attempt)
        return Proof("sat", model=self._model(solver.model()), calls=attempt)

    # Terms ----------------------------------------------------------------------------------------------

    def sort(self, cell: int) -> Any:
        if cell not in self._sorts:
            self._sorts[cell] = self.z3.DeclareSort(f"Cell{cell}", self.context)
        return self._sorts[cell]

    def variable(self, name: str) -> Any:
        if name not in self._variables:
            self._variables[name] = self.z3.Const(name, self.sort(sort_of(name)))
        return self._variables[name]

    def predicate(self, name: str, sorts: tuple[int, ...]) -> Any:
        if name not in self._predicates:
            kinds = [self.sort(s) for s in sorts]
            self._predicates[name] = self.z3.Function(name, *kinds, self.z3.BoolSort(self.context))
        return self._predicates[name]

    def term(self, f: Formula) -> Any:
        """The Z3 term of an expanded formula; terms of subformulas are kept."""
        for g in postorder(f):
            if g not in self._terms:
                self._terms[g] = self._term(g)
        return self._terms[f]

    def _term(self, f: Formula) -> Any:
        z3, terms = self.z3, self._terms
        match f:
            case Const(value):
                return z3.BoolVal(value is Kleene.TRUE, self.context)
            case Atom(name, args):
                symbol = self.predicate(name, tuple(sort_of(v) for v in args))
                return symbol(*(self.variable(v) for v in args))
            case Equal(a, b):
                return self.variable(a) == self.variable(b)
            case Not(body):
                return z3.Not(terms[body])
            case And(a, b):
                return z3.And(terms[a], terms[b])
            case Or(a, b):
                return z3.Or(terms[a], terms[b])
            case Iff(a, b):
                return terms[a] == terms[b]
            case Exists(v, body):
                return z3.Exists([self.variable(v)], terms[body])
            case Forall(v, body):
                return z3.ForAll([self.variable(v)], terms[body])
        raise ValueError(f"cannot translate '{f}'")

    # Models ---------------------------------------------------------------------------------------------

    def _model(self, model: Any) -> FiniteModel:
        cells: list[int] = []
        elements: list[list[Any]] = []
        first: list[int] = []
        for number, cell in enumerate(self.expansion.universe.cells):
            absent = cell.optional and not self._true(model, self.term(presence(number)))
            members = [] if absent else self._elements(model, number, single=cell.single)
            first.append(len(cells))
            cells += [number] * len(members)
            elements.append(members)
        relations: dict[str, set[tuple[int, ...]]] = {}
        for name, (symbol, sorts) in self.expansion.symbols.items():
            predicate = self.predicate(name, sorts)
            places = [range(len(elements[s])) for s in sorts]
            for chosen in itertools.product(*places):
                term = predicate(*(elements[s][i] for s, i in zip(sorts, chosen, strict=True)))
                if self._true(model, term):
                    tuple_ = tuple(first[s] + i for s, i in zip(sorts, chosen, strict=True))
                    relations.setdefault(symbol, set()).add(tuple_)
        frozen = {s: frozenset(t) for s, t in relations.items()}
        return FiniteModel(self.expansion.universe, tuple(cells), frozen)

    def _elements(self, model: Any, cell: int, *, single: bool) -> list[Any]:
        if single:
            return [self.variable(f"!{cell}")]
        universe = model.get_universe(self.sort(cell)) if cell in self._sorts else None
        return list(universe) if universe else [self.z3.Const(f"some:{cell}", self.sort(cell))]

    def _true(self, model: Any, term: Any) -> bool:
        return bool(self.z3.is_true(model.eval(term, model_completion=True)))
