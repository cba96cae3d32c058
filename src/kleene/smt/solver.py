"""The facade: sessions of related queries over one universe, limits, statistics and dumps.

`Solver.session` opens a set of assertions; `Session.check` asks about them under assumptions. Whatever the back end,
`Sat` comes with a finite model that has been evaluated with exact closures, `Unsat` is a proof for all finite
universes, and everything else is `Unknown`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from kleene.diagnostics import UsageError, did_you_mean
from kleene.logic.formula import Formula, exists, predicates_of
from kleene.smt.answers import Answer, Sat, Unknown, Unsat
from kleene.smt.closures import ClosureTable, Fields
from kleene.smt.expand import Expansion
from kleene.smt.finder import Finder, sufficient_bounds
from kleene.smt.finite_model import FiniteModel
from kleene.smt.finiteness import finiteness
from kleene.smt.ground_backend import GroundQuery, decide
from kleene.smt.named_witnesses import Witnesses
from kleene.smt.prover import Allowance, Proof, Prover
from kleene.smt.smtlib import script
from kleene.smt.units import Assertions
from kleene.smt.universe import Universe

BACKENDS = ("auto", "z3", "cvc5", "ground")
"""`auto` asks cvc5 (if installed) first for queries with closures, Z3 first for others, then the other one."""
PATIENCE = 15
"""Queries are limited by prover steps; a query is also stopped after this multiple of the limit in real time."""
_NO_FIELDS = Fields()


@dataclass(frozen=True)
class Limits:
    """Seconds for one query and for everything, SAT conflicts, and how large grounded universes may become."""

    query_seconds: float = 2.0
    total_seconds: float | None = None
    conflicts: int = 200_000
    individuals: int = 4
    grounded: int = 28


@dataclass
class Statistics:
    """The cost of the queries; `calls` counts every call of a solver, SAT solvers included."""

    calls: int = 0
    seconds: float = 0.0
    by_backend: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)


class Solver:
    """A back end with its limits; all sessions share the statistics and the deadline."""

    def __init__(self, backend: str = "auto", limits: Limits | None = None, *, dump: str | Path | None = None) -> None:
        if backend not in BACKENDS:
            raise UsageError(f"there is no back end '{backend}'{did_you_mean(backend, BACKENDS)}")
        self.backend = backend
        self.limits = limits or Limits()
        self.statistics = Statistics()
        self.started = time.perf_counter()
        self.dump = Path(dump) if dump is not None else None
        if self.dump is not None:
            self.dump.mkdir(parents=True, exist_ok=True)
        self.provers = _provers(backend)

    def session(self, assertions: Sequence[Formula], universe: Universe, fields: Fields = _NO_FIELDS) -> Session:
        session = Session(self, universe, fields)
        for f in assertions:
            session.add(f)
        return session

    def finder(self, assertions: Sequence[Formula], universe: Universe, individuals: int | None = None) -> Finder:
        """A search for models with a bounded number of individuals in each cell."""
        bounds = dict.fromkeys(range(len(universe.cells)), individuals or self.limits.individuals)
        return Finder(self, assertions, universe, bounds, complete=False)

    def complete_finder(
        self, assertions: Sequence[Formula], universe: Universe, observed: Sequence[Sequence[Formula]]
    ) -> Finder | None:
        """A search that finds a model of the assertions for every combination of options, if there is one.

        `observed` lists alternatives, such as the values that a predicate can have. None if no bound is known, and for
        a back end that the user has chosen.
        """
        if self.backend not in ("auto", "ground"):
            return None
        bounds = sufficient_bounds(assertions, universe, observed, self.limits.grounded)
        return None if bounds is None else Finder(self, assertions, universe, bounds, complete=True)

    def remaining(self) -> float:
        """Seconds until the deadline."""
        if self.limits.total_seconds is None:
            return float("inf")
        return self.limits.total_seconds - (time.perf_counter() - self.started)

    def dump_query(self, universe: Universe, assertions: Sequence[Formula], queries: Sequence[Formula] = ()) -> None:
        """Write a query of expanded formulas as SMT-LIB, if that is asked for."""
        if self.dump is not None:
            names = [f"Cell{i}: {c.name}" for i, c in enumerate(universe.cells)]
            text = script(assertions, queries, len(universe.cells), "\n".join(["A query of Kleene.", *names]))
            (self.dump / f"query-{self.statistics.calls:04}.smt2").write_text(text, encoding="utf-8")

    def conflicts(self) -> int:
        """Limit of conflicts for one call of a SAT solver."""
        return self.limits.conflicts

    def time_query(self, backend: str, query: Callable[[], tuple[str, int]]) -> None:
        """Run one query, which returns its verdict and its number of solver calls; record its cost."""
        start = time.perf_counter()
        verdict, calls = "unknown", 1
        try:
            verdict, calls = query()
        finally:
            self.statistics.calls += calls
            self.statistics.seconds += time.perf_counter() - start
            self.statistics.by_backend[backend] += calls
            self.statistics.answers[verdict] += 1


def _provers(backend: str) -> dict[str, Callable[[Expansion], Prover]]:
    """The provers of a back end; a missing package is reported now, not after minutes."""
    provers: dict[str, Callable[[Expansion], Prover]] = {}
    if backend in ("z3", "auto"):
        from kleene.smt.z3_backend import Z3Prover, load_z3

        load_z3()
        provers["z3"] = Z3Prover
    if backend == "cvc5" or (backend == "auto" and find_spec("cvc5") is not None):
        from kleene.smt.cvc5_backend import Cvc5Prover, load_cvc5

        load_cvc5()
        provers["cvc5"] = Cvc5Prover
    return provers


class Session:
    """Assertions that hold in all queries, and queries under assumptions."""

    def __init__(self, solver: Solver, universe: Universe, fields: Fields) -> None:
        self.owner = solver
        self.universe = universe
        self.expansion = Expansion(universe)
        self.closures = ClosureTable(self.expansion, fields)
        self.assertions: list[Formula] = []
        self._plain: list[Formula] = []
        self._finiteness: list[Formula] | None = None
        self._helpful: Stage | None = None
        self.witnesses = Witnesses(self.expansion, self.closures)
        self._provers = {name: make(self.expansion) for name, make in solver.provers.items()}
        self._asserted = Assertions(self.expansion)

    def add(self, f: Formula) -> None:
        """Assert a formula; free variables stand for some individuals."""
        self.assertions.append(f)
        self._plain.append(self.closures.eliminate(f))

    def check(self, assumptions: Sequence[Formula] = (), *, quick: bool = False) -> Answer:
        """The answer for all finite universes; `quick` gives up early.

        All axioms are tried for a short time first, beginning with those of the last proof: most queries are easy with
        the right ones.
        """
        answer = self._complete_search(assumptions)
        if not isinstance(answer, Unknown):
            return answer
        plain = [self.closures.eliminate(f) for f in assumptions]
        for effort in (Effort.SHORT,) if quick or not self._provers else (Effort.SHORT, Effort.FULL):
            for stage in sorted(self._stages(effort), key=lambda s: s is not self._helpful):
                if self.owner.remaining() <= 0:
                    return answer
                proof = self._prove(plain, stage, effort)
                if proof.verdict == "unsat":
                    self._helpful = stage
                    return Unsat(proof.core)
                if proof.model is not None and self._confirms(proof.model, assumptions):
                    return Sat(proof.model)
                answer = Unknown(proof.reason or "the solver's model does not satisfy the closures")
        if self.closures.existential and not quick and isinstance(result := self._small_model(assumptions), Sat):
            return result
        return answer

    def _complete_search(self, assumptions: Sequence[Formula]) -> Answer:
        """A decision if a sufficient number of individuals is known, which is common for small queries."""
        finder = self.owner.complete_finder(self.assertions, self.universe, [[f] for f in assumptions])
        if finder is None:
            return Unknown("time limit reached")
        try:
            answer = finder.conflict(assumptions)
        finally:
            finder.close()
        return Unsat(answer) if isinstance(answer, frozenset) else answer

    def _stages(self, effort: Effort) -> tuple[Stage, ...]:
        finite = (Stage.FINITE,) if self._provers and self._finite() else ()
        if not self.closures.existential:
            return Stage.UNIVERSAL, *finite
        if not self._provers or not self.closures.steps:
            return Stage.UNIVERSAL, Stage.EXISTENTIAL, *finite
        several = (Stage.PLAIN,) if len(self.closures.symbols) > 1 else ()  # the relations between them may suffice
        cyclic = (Stage.BETWEEN,) if self.closures.between else ()
        ordered = (Stage.INDUCTIVE,) if self.closures.inductive else ()
        if effort is Effort.SHORT:
            return *several, Stage.UNIVERSAL, *(ordered or (Stage.EXISTENTIAL,)), *cyclic
        return *several, Stage.UNIVERSAL, Stage.EXISTENTIAL, *cyclic, *ordered, Stage.NAMED, *finite

    def _finite(self) -> list[Formula]:
        if self._finiteness is None:
            symbols = {name for f in self._plain for name in predicates_of(f)}
            self._finiteness = finiteness(self.universe, self.closures.fields, symbols)
        return self._finiteness

    def _small_model(self, assumptions: Sequence[Formula]) -> Answer:
        """With closures, models of the axioms are often spurious: look for a small one with exact closures."""
        if self.owner.remaining() <= 0:
            return Unknown("time limit reached")
        finder = self.owner.finder([*self.assertions, *assumptions], self.universe)
        try:
            return finder.check()
        finally:
            finder.close()

    def _confirms(self, model: FiniteModel, assumptions: Sequence[Formula]) -> bool:
        return all(model.satisfies(exists(f.free, f)) for f in (*self.assertions, *assumptions))

    def _prove(self, plain: list[Formula], stage: Stage, effort: Effort) -> Proof:
        axioms = list(self._plain)
        if stage is not Stage.PLAIN:
            axioms += self.closures.universal
        if stage in (Stage.EXISTENTIAL, Stage.BETWEEN, Stage.INDUCTIVE, Stage.FINITE):
            axioms += self.closures.existential
        if stage is Stage.BETWEEN:
            axioms += self.closures.between
        if stage is Stage.INDUCTIVE:
            axioms += self.closures.inductive
        if stage is Stage.FINITE:
            axioms += self._finite()
        expanded = self._asserted.expand(axioms)
        queries = [self.expansion.expand_closed(f) for f in plain]
        extra: list[Formula] = []
        if stage is Stage.NAMED:
            expanded = [self.witnesses.name(f) for f in expanded]
            queries = [self.witnesses.name(f) for f in queries]
            extra = self.witnesses.instances([*expanded, *queries])
        expanded += extra
        self.owner.dump_query(self.universe, expanded, queries)
        if not self._provers:
            ground = GroundQuery(self.universe, axioms, plain, [*expanded, *queries])
            return self._time("ground", partial(self._decide, ground))
        proof = Proof("unknown")
        for name in self._order(stage, effort):
            seconds = self._seconds(stage, effort)
            clock = min(PATIENCE * seconds, self.owner.remaining())
            strict = self.owner.limits.total_seconds is not None
            allowance = Allowance(int(1000 * seconds), int(1000 * clock), strict)
            proof = self._time(name, partial(self._provers[name].check, expanded, queries, allowance))
            if proof.verdict != "unknown" or self.owner.remaining() <= 0:
                break
        return proof

    def _time(self, backend: str, ask: Callable[[], Proof]) -> Proof:
        result: list[Proof] = []

        def query() -> tuple[str, int]:
            result.append(ask())
            return result[0].verdict, result[0].calls

        self.owner.time_query(backend, query)
        return result[0]

    def _order(self, stage: Stage, effort: Effort) -> list[str]:
        """The provers to ask, in order; with closures, cvc5 decided more queries in less time in all measurements."""
        names = sorted(self._provers, reverse=stage is Stage.PLAIN or not self.closures.existential)
        if effort is Effort.SHORT:
            return names[:1]
        return names if stage is not Stage.NAMED else names[-1:]

    def _decide(self, query: GroundQuery) -> Proof:
        limits = self.owner.limits
        return decide(
            query,
            individuals=limits.individuals,
            most=limits.grounded,
            conflicts=limits.conflicts,
            remaining=self.owner.remaining,
        )

    def _seconds(self, stage: Stage, effort: Effort) -> float:
        seconds = self.owner.limits.query_seconds
        if effort is Effort.SHORT:
            seconds /= 8
        elif self.closures.existential and stage in (Stage.UNIVERSAL, Stage.NAMED):
            seconds /= 4
        return min(seconds, self.owner.remaining())


class Effort(Enum):
    """The effort for one set of axioms."""

    SHORT = "an eighth of the limit, one prover"
    FULL = "the limit, all provers"


class Stage(Enum):
    """The axioms of closures in a query: see `closures` and `named_witnesses`."""

    PLAIN = "none"
    UNIVERSAL = "universal axioms"
    NAMED = "existential axioms for named individuals"
    EXISTENTIAL = "all axioms"
    BETWEEN = "all axioms, and those of what lies between"
    INDUCTIVE = "all axioms, and those of orders along paths"
    FINITE = "all axioms, and those of finite sets"


def check(
    formula: Formula,
    *,
    universe: Universe | None = None,
    backend: str = "auto",
    limits: Limits | None = None,
    fields: Fields = _NO_FIELDS,
) -> Answer:
    """Whether a formula has a finite model; its free variables stand for some individuals."""
    return Solver(backend, limits).session([formula], universe or Universe(), fields).check()
