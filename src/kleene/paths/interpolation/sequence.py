"""Inductive sequence interpolants of an infeasible path: weakest preconditions over an unsatisfiable core.

The computation runs backwards: the bad states before a step are those from which the step leads to bad states after it.
At each cut this condition is a disjunction; each case is weakened to an unsatisfiable core with the prefix. This keeps
the sequence small and inductive (a weaker bad condition makes the interpolant stronger).
Henzinger, Jhala, Majumdar, McMillan. Abstractions from proofs. POPL 2004, section 4, has the use; there the
interpolants come from a resolution proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from kleene.paths.formulas.cases import TooManyCases, cases, constants, simplify_formula
from kleene.paths.interpolation.relation import Conjunct, Relation

STEPS = 6_000_000
"""Z3's resource steps for one question."""
MOST_QUESTIONS = 1_500
"""Largest number of solver queries for one path: 150 steps through a list of eight cells need about as many."""
ELIMINATION_MILLISECONDS = 1_000
"""Time for one elimination of quantifiers: almost all take some milliseconds, and Z3 counts no steps of it."""
_MOST_DROPPED = 40
"""Largest number of conjuncts of a core that the minimisation tries to drop."""


class NoInterpolants(Exception):
    """There is no sequence; the text is the reason."""


class Prover:
    """Asks the solver, with a limit on the number of queries."""

    def __init__(self, most: int = MOST_QUESTIONS) -> None:
        self.left = most

    def core(self, context: Sequence[Any], formulas: Sequence[Any]) -> list[int] | None:
        """Numbers of formulas that contradict the context together, few of them; None if they do not."""
        solver = z3.SolverFor("QF_AUFLIA")
        solver.set("rlimit", STEPS)
        solver.add(*context)
        switches = [z3.Bool(f"switch:{n}") for n in range(len(formulas))]
        solver.add(*(z3.Implies(s, f) for s, f in zip(switches, formulas, strict=True)))
        answer = self._ask(solver, switches)
        if answer == z3.unknown:
            raise NoInterpolants(f"the solver gave up ({solver.reason_unknown()})")
        if answer == z3.sat:
            return None
        numbers = {s.get_id(): n for n, s in enumerate(switches)}
        kept = sorted(numbers[s.get_id()] for s in solver.unsat_core())
        for candidate in kept[:_MOST_DROPPED]:
            rest = [n for n in kept if n != candidate]
            if self._ask(solver, [switches[n] for n in rest]) == z3.unsat:
                kept = rest
        return kept

    def _ask(self, solver: Any, switches: Sequence[Any]) -> Any:
        self.left -= 1
        if self.left < 0:
            raise NoInterpolants("too many questions to the solver")
        return solver.check(*switches)


class Sequencer:
    """Computes the sequence for one relation."""

    def __init__(self, relation: Relation, prover: Prover) -> None:
        self.relation = relation
        self.prover = prover
        self.conjuncts: list[Conjunct] = [*relation.initial(), *relation.conjuncts]
        self.cuts = len(relation.snapshots)
        self.core: list[int] = []
        self.prefixes: list[list[Any]] = []
        self._constants: dict[int, tuple[Any, dict[int, Any]]] = {}

    def constants(self, formula: Any) -> dict[int, Any]:
        """The constants in a formula; they are remembered with it, since the same ones are asked for at many cuts."""
        known = self._constants.get(formula.get_id())
        if known is None:  # the formula is kept, so that no other one gets its number
            known = self._constants[formula.get_id()] = (formula, constants(formula))
        return known[1]

    def run(self) -> list[Any]:
        """One formula for each cut, over the versions that are current there."""
        self.core = self._core()
        chosen = set(self.core)
        used = [c for n, c in enumerate(self.conjuncts) if n in chosen or c.defines is not None]
        self.prefixes = [[c.formula for c in used if c.step < cut] for cut in range(self.cuts)]
        bad: list[list[Any]] = [[]]
        backwards = [self._deny(bad)]
        for cut in range(self.cuts - 2, -1, -1):
            bad = self._before(bad, [c for c in used if c.step == cut], cut)
            backwards.append(self._deny(bad))
        if not z3.is_true(backwards[-1]):
            raise NoInterpolants("the first interpolant is not true")
        return backwards[::-1]

    def _core(self) -> list[int]:
        """Conjuncts that contradict each other, few of them."""
        formulas = [c.formula for c in self.conjuncts]
        core = self.prover.core((), formulas)
        if core is None:
            raise NoInterpolants("the path is possible in linear arithmetic over fields")
        return core

    def _before(self, bad: list[list[Any]], step: Sequence[Conjunct], cut: int) -> list[list[Any]]:
        """The bad states before the step."""
        conditions = [c for c in step if c.defines is None]
        changed = bool(conditions)
        result: list[list[Any]] = []
        for case in bad:
            literals = list(case)
            for conjunct in reversed(step):
                if conjunct.defines is None:
                    literals.append(conjunct.formula)
                else:
                    definition = (conjunct.defines, conjunct.value)
                    literals = [z3.substitute(literal, definition) for literal in literals]
            same = not changed and all(a.eq(b) for a, b in zip(literals, case, strict=True))
            if same and not self._hidden_constants(literals, cut):
                result.append(case)
            else:
                result += self._weaken(literals, cut)
        return _without_larger(result)

    def _weaken(self, literals: list[Any], cut: int) -> list[list[Any]]:
        """The cases of a conjunction, each as few literals as contradict the prefix, over the versions of the cut."""
        weakened = []
        try:
            split = cases(literals)
        except TooManyCases:
            raise NoInterpolants("a condition falls into too many cases") from None
        for case in split:
            case = self._project(case, cut)
            core = self.prover.core(self.prefixes[cut], case)
            if core is None:
                raise NoInterpolants("a condition on an input could not be expressed before it is read")
            kept = [case[n] for n in core]
            if self.prover.core((), kept) is None:
                weakened.append(kept)
        return weakened

    def _hidden_constants(self, literals: Sequence[Any], cut: int) -> dict[int, Any]:
        """The constants that are no current versions at the cut."""
        current = {v.get_id() for v in self.relation.snapshots[cut].values()}
        hidden: dict[int, Any] = {}
        for literal in literals:
            hidden.update({n: c for n, c in self.constants(literal).items() if n not in current})
        return hidden

    def _project(self, literals: list[Any], cut: int) -> list[Any]:
        """The literals without hidden constants: by equations, then by quantifier elimination, else dropped."""
        hidden = self._hidden_constants(literals, cut)
        for constant in list(hidden.values()):
            literals = _solve(literals, constant)
        hidden = self._hidden_constants(literals, cut)
        if not hidden:
            return literals
        clear = [x for x in literals if not self._hidden_constants([x], cut)]
        if self.prover.core(self.prefixes[cut], clear) is not None:
            return clear
        rest = [x for x in literals if self._hidden_constants([x], cut)]
        return clear + _eliminate(rest, list(hidden.values()))

    def _deny(self, bad: list[list[Any]]) -> Any:
        """Not any of the cases."""
        clauses = [_clause(case) for case in bad]
        return z3.And(*clauses) if len(clauses) > 1 else clauses[0] if clauses else z3.BoolVal(True)


def _clause(case: list[Any]) -> Any:
    literals = [x.arg(0) if z3.is_not(x) else z3.Not(x) for x in case]
    return z3.Or(*literals) if len(literals) > 1 else literals[0] if literals else z3.BoolVal(False)


def _without_larger(cores: list[list[Any]]) -> list[list[Any]]:
    """Without cases that have all literals of another one."""
    sets = [frozenset(x.get_id() for x in case) for case in cores]
    kept: list[list[Any]] = []
    for number, case in enumerate(cores):
        covered = any(
            other < sets[number] or (other == sets[number] and place < number) for place, other in enumerate(sets)
        )
        if not covered:
            kept.append(case)
    return kept


def _solve(literals: list[Any], constant: Any) -> list[Any]:
    """Replace the constant if an equation defines it."""
    for literal in literals:
        if z3.is_eq(literal):
            for one, other in ((literal.arg(0), literal.arg(1)), (literal.arg(1), literal.arg(0))):
                if one.eq(constant) and constant.get_id() not in constants(other):
                    replaced = [simplify_formula(z3.substitute(x, (constant, other))) for x in literals]
                    return [x for x in replaced if not z3.is_true(x)]
    return literals


def _eliminate(literals: list[Any], hidden: list[Any]) -> list[Any]:
    """The literals without the hidden constants (quantifier elimination), as one formula in the list."""
    if not all(z3.is_int(c) for c in hidden):
        return []
    literals, remainders = _without_remainders(literals, {c.get_id() for c in hidden})
    hidden = [*hidden, *remainders]
    try:
        goal = z3.TryFor("qe", ELIMINATION_MILLISECONDS)(z3.Exists(hidden, z3.And(*literals)))
    except z3.Z3Exception:
        return []
    if len(goal) != 1:
        return []
    formulas = [f for f in goal[0] if not z3.is_quantifier(f)]
    return [f for f in formulas if not any(c.get_id() in constants(f) for c in hidden)]


def _without_remainders(literals: list[Any], hidden: set[int]) -> tuple[list[Any], list[Any]]:
    """The literals with a number of its range in the place of each remainder of hidden constants, and these numbers.

    This is weaker where a constant is also used otherwise. Quantifier elimination would try every remainder.
    """
    known: dict[int, tuple[Any, Any]] = {}
    waiting = list(literals)
    while waiting:
        term = waiting.pop()
        remainder = z3.is_mod(term) and z3.is_int_value(term.arg(1)) and term.arg(1).as_long() > 0
        if remainder and not hidden.isdisjoint(constants(term)):
            known.setdefault(term.get_id(), (term, z3.FreshInt("remainder")))
        else:
            waiting += term.children()
    ranges = [z3.And(new >= 0, new < old.arg(1)) for old, new in known.values()]
    replaced = [z3.substitute(x, *known.values()) if known else x for x in literals]
    return [*replaced, *ranges], [new for _, new in known.values()]
